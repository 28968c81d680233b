package registry

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"bor/db"
)

// maxName is the longest name of a source, in characters (SEC4).
const maxName = 120

// CheckName says what is wrong with a source's name: it is the first part of every
// document's identity, so it has no slash.
func CheckName(name string) error {
	problem := ""
	switch n := utf8.RuneCountInString(name); {
	case name == "":
		problem = "it is empty"
	case n > maxName:
		problem = fmt.Sprintf("it has %d characters, and %d is the limit", n, maxName)
	case !utf8.ValidString(name):
		problem = "it isn't UTF-8"
	case strings.Contains(name, "/"):
		problem = "it has a slash"
	case strings.ContainsFunc(name, unicode.IsControl):
		problem = "it has a control character"
	case name != strings.TrimSpace(name):
		problem = "it begins or ends with white space"
	case name == "." || name == "..":
		problem = "it stands for a directory"
	default:
		return nil
	}
	return field("name", fmt.Sprintf("%q can't be the name of a source: %s.", name, problem))
}

// checkFree refuses a name that another source has, and suggests one.
func checkFree(ctx context.Context, q *db.Queries, name string, own int64) error {
	have, err := holder(ctx, q, name)
	if err != nil || have == nil || have.ID == own {
		return err
	}
	suggestion, err := freeName(ctx, q, name)
	if err != nil {
		return err
	}
	if have.RemovedAt != nil {
		return field("name", fmt.Sprintf("A source that is being removed still has the name %q until the next sync. Sync first, or choose another name, such as %s.", name, suggestion))
	}
	return field("name", fmt.Sprintf("There is a source with the name %q already, and two never share one. Choose another name, such as %s.", name, suggestion))
}

// freeName is name, or name with the first number behind it that nobody has.
func freeName(ctx context.Context, q *db.Queries, name string) (string, error) {
	free := name
	for n := 2; ; n++ {
		have, err := holder(ctx, q, free)
		if err != nil || have == nil {
			return free, err
		}
		number := fmt.Sprintf("-%d", n)
		head := []rune(name)
		free = string(head[:min(len(head), maxName-len(number))]) + number
	}
}

// holder is the source that has a name; nil when nobody has.
func holder(ctx context.Context, q *db.Queries, name string) (*db.Source, error) {
	have, err := q.SourceByName(ctx, name)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("looking for a source's name: %w", err)
	}
	return &have, nil
}

// nameOf is the name that a place gives to its source: the repository's, the
// directory's, or the archive's file name without its extensions.
func nameOf(place string) string {
	place = strings.TrimRight(place, "/")
	if i := strings.LastIndexAny(place, "/:"); i >= 0 {
		place = place[i+1:]
	}
	return strings.TrimSuffix(place, ".git")
}

// archiveExtensions are taken off a file's name, longest first.
var archiveExtensions = []string{".tar.gz", ".tar.xz", ".tar.zst", ".tar.bz2", ".tgz", ".txz", ".tzst", ".tbz2", ".tar", ".zip", ".7z"}

func archiveName(file string) string {
	file = filepath.Base(strings.ReplaceAll(file, `\`, "/"))
	for _, ext := range archiveExtensions {
		if n := len(file) - len(ext); n > 0 && strings.EqualFold(file[n:], ext) {
			return file[:n]
		}
	}
	return file
}
