package kb_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"bor/internal/forge"
	"bor/internal/kb"
	"bor/internal/kb/kbtest"
	"bor/internal/testkit"

	"github.com/jackc/pgx/v5/pgxpool"
)

func newStore(t *testing.T, docs ...kb.Document) (*kb.Store, *pgxpool.Pool) {
	t.Helper()
	pool := testkit.DB(t).Pool
	kbtest.Add(t, pool, docs...)
	return kb.NewStore(pool), pool
}

func doc(identity, content string) kb.Document {
	source, path, _ := kb.SplitIdentity(identity)
	return kb.Document{Source: source, Path: path, Content: content}
}

func TestReadingByIdentityIsExact(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("deep/", 190) + "ü.md"
	content := "\ufeffa\r\nb\tc \r\x0b\u2028</pre>&amp;\u202e👩‍👩‍👧"
	store, _ := newStore(t,
		kb.Document{Source: "homelab", Path: "quadlets/gufo.container", Title: "gufo", Content: content,
			Encoding: "utf-8-bom", Revision: "abc", Summary: "A container."},
		doc("homelab/a b #1:2.md", "x"),
		doc("notes/"+long, "y"),
		doc("notes/../etc/passwd", "z"),
		kb.Document{Source: "homelab", Path: "img/rack.png", Kind: kb.KindImage},
	)
	got, err := store.ByIdentity(t.Context(), "homelab/quadlets/gufo.container")
	if err != nil {
		t.Fatal(err)
	}
	if got.Content != content || got.Lines != 2 || got.Chars != kb.Chars(content) || got.Title != "gufo" ||
		got.Encoding != "utf-8-bom" || got.Revision != "abc" || got.Summary != "A container." ||
		got.Kind != kb.KindText || !got.Date.Equal(kbtest.Date) || got.Indexed.IsZero() || got.ID == 0 {
		t.Errorf("got %+v", got)
	}
	for _, identity := range []string{"homelab/a b #1:2.md", "notes/" + long, "notes/../etc/passwd", "homelab/img/rack.png"} {
		if d, err := store.ByIdentity(t.Context(), identity); err != nil || d.Identity() != identity {
			t.Errorf("%.40q: %v", identity, err)
		}
	}
	for _, identity := range []string{
		"", "/", "homelab", "homelab/", "quadlets/gufo.container", "homelab/quadlets/GUFO.container",
		"homelab/quadlets/gufo.container ", "homelab/quadlets/../quadlets/gufo.container", "../../etc/passwd",
		"homelab/a\x00b", "homelab/\xff", "home\x00lab/x",
	} {
		if d, err := store.ByIdentity(t.Context(), identity); !errors.Is(err, kb.ErrNotFound) {
			t.Errorf("%q gave %q, %v", identity, d.Identity(), err)
		}
	}
}

func TestOriginIsTheIndexedCommitsPage(t *testing.T) {
	t.Parallel()
	const commit = "0123456789abcdef0123456789abcdef01234567"
	store, _ := newStore(t,
		kb.Document{Source: "notes", Path: "a b.yml", Content: "1\n2\n3\n", Revision: commit, Remote: "git@code.example.org:o/notes.git"},
		kb.Document{Source: "local", Path: "a.yml", Content: "1\n", Revision: commit},
	)
	read := func(identity string) kb.Document {
		d, err := store.ByIdentity(t.Context(), identity)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	if link, ok := read("notes/a b.yml").Origin(1, 2); ok {
		t.Errorf("an unknown host: %s", link.URL)
	}
	store.Forges = forge.Hosts{"code.example.org": forge.Gitea}
	d := read("notes/a b.yml")
	const page = "https://code.example.org/o/notes/src/commit/" + commit + "/a%20b.yml"
	for lines, want := range map[[2]int]string{{0, 0}: page, {1, 3}: page, {1, 9}: page, {1, 2}: page + "#L1-L2", {3, 3}: page + "#L3"} {
		if link, ok := d.Origin(lines[0], lines[1]); !ok || link.URL != want || link.Forge != "Gitea" {
			t.Errorf("%v: %+v", lines, link)
		}
	}
	if d := read("local/a.yml"); d.Remote != "" {
		t.Errorf("a folder's address is told: %q", d.Remote)
	}
	if link, ok := read("local/a.yml").Origin(0, 0); ok {
		t.Errorf("a folder: %s", link.URL)
	}
}

func TestByIDsKeepsTheOrder(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t, doc("s/a", "1"), doc("s/b", "2"), doc("s/c", "3"))
	var ids []int64
	for _, name := range []string{"s/c", "s/a"} {
		d, err := store.ByIdentity(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, d.ID)
	}
	docs, err := store.ByIDs(t.Context(), []int64{ids[0], 987654, ids[1]})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range docs {
		got = append(got, d.Identity()+"="+d.Content)
	}
	if want := []string{"s/c=3", "s/a=1"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestClosest(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t,
		doc("homelab/quadlets/gufo.container", ""), doc("homelab/quadlets/gufo-db.container", ""),
		doc("homelab/quadlets/gufo.network", ""), doc("archive/old/gufo.container", ""),
		doc("homelab/dns.md", ""), doc("homelab/Backups/Restic.MD", ""))
	for _, c := range []struct {
		wanted string
		n      int
		want   []string
	}{
		{"gufo.container", 2, []string{"archive/old/gufo.container", "homelab/quadlets/gufo.container"}},
		{"quadlets/gufo.container", 1, []string{"homelab/quadlets/gufo.container"}},
		{"homelab/gufo.contaner", 1, []string{"homelab/quadlets/gufo.container"}},
		{"homelab/dsn.md", 1, []string{"homelab/dns.md"}},
		{"homelab/backups/restic.md", 3, []string{"homelab/Backups/Restic.MD"}},
		{"/homelab/dns.md", 1, []string{"homelab/dns.md"}},
		{"%_%", 3, nil},
		{"completely/else", 3, nil},
		{" / ", 3, nil},
		{"gu\x00fo\xff", 0, nil},
	} {
		got, err := store.Closest(t.Context(), c.wanted, c.n)
		if err != nil {
			t.Fatalf("%q: %v", c.wanted, err)
		}
		if c.n == 2 {
			slices.Sort(got)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("closest to %q: %q, want %q", c.wanted, got, c.want)
		}
	}
}

func TestTree(t *testing.T) {
	t.Parallel()
	store, pool := newStore(t,
		doc("homelab/dns.md", ""), doc("homelab/quadlets/gufo.container", ""), doc("homelab/quadlets/web/caddy.container", ""),
		doc("homelab/Zeta/x", ""), doc("homelab/a%b/c", ""), doc("homelab/a_b", ""), doc("homelab/quadlets-old", ""), doc("notes/one", ""))
	kbtest.Source(t, pool, "empty", "Nothing yet.")
	sources, err := store.Sources(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := []kb.Source{{Name: "empty", Summary: "Nothing yet."}, {Name: "homelab", Documents: 7}, {Name: "notes", Documents: 1}}; !slices.Equal(sources, want) {
		t.Errorf("sources %v, want %v", sources, want)
	}
	for _, c := range []struct {
		source, folder string
		limit          int
		want           string
	}{
		{"homelab", "", 10, "Zeta/ 1, a%b/ 1, quadlets/ 2 | a_b dns.md quadlets-old of 3"},
		{"homelab", "", 4, "Zeta/ 1, a%b/ 1, quadlets/ 2 | a_b of 3"},
		{"homelab", "", 2, "Zeta/ 1, a%b/ 1 |  of 3"},
		{"homelab", "quadlets", 10, "quadlets/web/ 1 | quadlets/gufo.container of 1"},
		{"homelab", "/quadlets/web/", 10, " | quadlets/web/caddy.container of 1"},
		{"homelab", "a%b", 10, " | a%b/c of 1"},
		{"empty", "", 10, " |  of 0"},
	} {
		list, err := store.List(t.Context(), c.source, c.folder, c.limit)
		if err != nil {
			t.Errorf("%s/%s: %v", c.source, c.folder, err)
			continue
		}
		var folders, documents []string
		for _, f := range list.Folders {
			folders = append(folders, fmt.Sprintf("%s %d", f.Path, f.Documents))
		}
		for _, d := range list.Documents {
			documents = append(documents, d.Path)
		}
		got := fmt.Sprintf("%s | %s of %d", strings.Join(folders, ", "), strings.Join(documents, " "), list.DocumentCount)
		if got != c.want {
			t.Errorf("%s/%s lists %q, want %q", c.source, c.folder, got, c.want)
		}
	}
	for _, c := range [][2]string{{"nowhere", ""}, {"homelab", "quad"}, {"homelab", "dns.md"}, {"homelab", "a\x00"}, {"\xff", ""}, {"homelab", "a_b/"}} {
		if list, err := store.List(t.Context(), c[0], c[1], 10); !errors.Is(err, kb.ErrNotFound) {
			t.Errorf("%q: %v, %v", c, list, err)
		}
	}
}

func TestADatabaseThatIsAwayIsAnErrorNotAnAbsence(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t, doc("s/a", "x"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, call := range map[string]func() error{
		"ByIdentity":     func() error { _, err := store.ByIdentity(ctx, "s/a"); return err },
		"ByIDs":          func() error { _, err := store.ByIDs(ctx, []int64{1}); return err },
		"Closest":        func() error { _, err := store.Closest(ctx, "s/a", 3); return err },
		"ClosestFolders": func() error { _, err := store.ClosestFolders(ctx, "s/a", 3); return err },
		"Sources":        func() error { _, err := store.Sources(ctx); return err },
		"List":           func() error { _, err := store.List(ctx, "s", "", 1); return err },
		"Scope":          func() error { _, err := store.Scope(ctx, "s/a"); return err },
		"Grep":           func() error { _, err := store.Grep(ctx, "abc", kb.Scope{}, 1); return err },
	} {
		if err := call(); !errors.Is(err, context.Canceled) || errors.Is(err, kb.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
