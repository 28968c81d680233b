package archive

import (
	"hash/maphash"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	maxNameBytes = 4096 // of one name, as much as Linux lets a path have
	averageName  = 400  // bytes, times the bar of members: what all names may have together
)

// cleanName judges a member's name in every spelling that leads out of a folder, on any system. It gives the name
// without "./" before it and without the slash behind a folder's; the archive's own folder is "".
func cleanName(name string, folder, backslashes bool) (string, error) {
	if len(name) > maxNameBytes {
		return "", refuse("its name has more than %d bytes", maxNameBytes)
	}
	if i := strings.IndexFunc(name, unicode.IsControl); i >= 0 {
		return "", refuse("its name holds a control character: rename it")
	}
	if !backslashes && strings.Contains(name, `\`) {
		return "", refuse(`its name holds a backslash, which is a folder's end on some systems and a letter on others: make the archive with a tool that writes "/"`)
	}
	steps := strings.FieldsFunc(name, func(r rune) bool { return r == '/' || r == '\\' })
	for _, step := range steps {
		if strings.Trim(step, ". ") == "" && strings.Count(step, ".") > 1 {
			return "", refuse(`its name leads out of its folder (".."): make the archive from inside the folder`)
		}
	}
	if strings.HasPrefix(name, "/") || strings.HasPrefix(name, `\`) || hasDrive(name) {
		return "", refuse("its name is absolute: make the archive with names that start at its own folder")
	}
	path := name
	for strings.HasPrefix(path, "./") {
		path = path[2:]
	}
	if folder {
		path = strings.TrimSuffix(path, "/")
	}
	if folder && (path == "." || path == "") {
		return "", nil
	}
	for step := range strings.SplitSeq(path, "/") {
		if step == "" || step == "." {
			return "", refuse(`its name has an empty part or a part ".": it can't be told from another`)
		}
	}
	return path, nil
}

func hasDrive(name string) bool {
	return len(name) > 1 && name[1] == ':' && (name[0]|0x20) >= 'a' && (name[0]|0x20) <= 'z'
}

// leadsOut reports whether a symbolic link's target lies outside the archive.
func leadsOut(link, target string) bool {
	target = strings.ReplaceAll(target, `\`, "/")
	if strings.HasPrefix(target, "/") || hasDrive(target) {
		return true
	}
	depth := strings.Count(link, "/")
	for step := range strings.SplitSeq(target, "/") {
		switch step {
		case "..":
			depth--
		case "", ".":
		default:
			depth++
		}
		if depth < 0 {
			return true
		}
	}
	return false
}

// names tells members with the same name, where case and Unicode form don't count, and files that are also folders.
// It holds hashes, so that a name's length costs nothing.
type names struct {
	limit int
	count int // members
	bytes int
	seed  maphash.Seed
	taken map[uint64]node // by folded path, the folders around members included
}

type node struct {
	exact  uint64 // hash of the path as it is written
	folder bool
}

func newNames(limit int) *names {
	return &names{limit: limit, seed: maphash.MakeSeed(), taken: map[uint64]node{}}
}

// add takes a member's path and those of the folders around it.
func (n *names) add(m member) error {
	if n.count++; n.count > n.limit {
		return refuse("it has more than %d members: make several archives", n.limit)
	}
	if n.bytes += len(m.path); n.bytes > averageName*n.limit {
		return refuse("the names of its members are too long together: shorten them or make several archives")
	}
	var exact, folded maphash.Hash
	exact.SetSeed(n.seed)
	folded.SetSeed(n.seed)
	for path := m.path; ; {
		step, rest, inside := strings.Cut(path, "/")
		exact.WriteString(step + "/")
		folded.WriteString(fold(step) + "/")
		if err := n.take(folded.Sum64(), node{exact.Sum64(), inside || m.mode.IsDir()}); err != nil {
			return err
		}
		if !inside {
			return nil
		}
		path = rest
	}
}

func (n *names) take(key uint64, is node) error {
	was, taken := n.taken[key]
	switch {
	case !taken && len(n.taken) >= 2*n.limit:
		return refuse("it has more than %d folders and members: make several archives", 2*n.limit)
	case !taken:
		n.taken[key] = is
	case was.exact != is.exact:
		return refuse("another member has the same name but for upper and lower case or Unicode form: rename one of them")
	case was.folder != is.folder:
		return refuse("it is a file and a folder at once")
	case !is.folder:
		return refuse("another member has the same name: keep one of them")
	}
	return nil
}

// fold gives names that some system takes for the same the same form: composed, and each letter the first of those
// that differ by case only.
func fold(name string) string {
	ascii := true
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf {
			ascii = false
		}
	}
	if ascii {
		return strings.ToLower(name)
	}
	return norm.NFC.String(strings.Map(func(r rune) rune {
		first := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			first = min(first, next)
		}
		return unicode.ToLower(first)
	}, norm.NFD.String(name)))
}
