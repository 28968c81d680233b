package registry

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bor/db"
	"bor/internal/fault"
	"bor/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

func newRegistry(t *testing.T, d *db.DB, change func(*Config)) *Registry {
	t.Helper()
	c := Config{DB: d, Host: "here"}
	if change != nil {
		change(&c)
	}
	r, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// fields are the names of the fields that an error is about.
func fields(err error) []string {
	var f FieldErrors
	if !errors.As(err, &f) {
		return nil
	}
	return slices.Sorted(maps.Keys(f))
}

func names(t *testing.T, r *Registry) (list []string) {
	t.Helper()
	all, err := r.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		name := s.Name
		if s.Removed {
			name += " removed"
		}
		if s.FromSettings {
			name += " from settings"
		}
		list = append(list, name)
	}
	return list
}

func planned(t *testing.T, r *Registry) (sync, remove, elsewhere []string) {
	t.Helper()
	p, err := r.Plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	of := func(list []Source) (names []string) {
		for _, s := range list {
			names = append(names, s.Name)
		}
		return names
	}
	return of(p.Sync), of(p.Remove), of(p.Elsewhere)
}

func TestWhatIsWrongIsSaidBesideItsField(t *testing.T) {
	r := newRegistry(t, testkit.DB(t), func(c *Config) {
		c.CheckGitURL = func(string) error { return errors.New("the host is unknown") }
		c.CheckGitBranch = func(string) error { return fault.New(fault.Invalid, "No such branch.") }
	})
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		draft  Draft
		fields []string
		words  string
	}{
		"nothing":           {Draft{}, []string{"kind", "name"}, "Choose what kind"},
		"a kind of its own": {Draft{Kind: Archive, Name: "a"}, []string{"kind"}, "Choose"},
		"no address":        {Draft{Kind: Git}, []string{"location"}, "The repository's address is missing"},
		"a wrong address":   {Draft{Kind: Git, Location: "https://x/y.git"}, []string{"location"}, "The host is unknown."},
		"a wrong branch":    {Draft{Kind: Git, Location: "https://x/y.git", Branch: "main"}, []string{"branch", "location"}, "No such branch."},
		"an option":         {Draft{Kind: Git, Location: "https://x/y.git", Branch: "--upload-pack=x"}, []string{"branch", "location"}, "can't be a branch"},
		"a long branch":     {Draft{Kind: Git, Location: "https://x/y.git", Branch: strings.Repeat("b", 251)}, []string{"branch", "location"}, "longer than 250"},
		"a password":        {Draft{Kind: Git, Location: "https://me:hunter2@x/y.git"}, []string{"location"}, "holds a password"},
		"a control byte":    {Draft{Kind: Git, Location: "https://x/\x1b.git"}, []string{"location"}, "control character"},
		"a long address":    {Draft{Kind: Git, Location: "https://" + strings.Repeat("x", 2000)}, []string{"location"}, "longer than 2000"},
		"no directory":      {Draft{Kind: Local}, []string{"location"}, "The directory is missing"},
		"a relative one":    {Draft{Kind: Local, Location: "notes"}, []string{"location"}, "isn't an absolute path"},
		"one that is away":  {Draft{Kind: Local, Location: filepath.Join(dir, "gone")}, []string{"location"}, "There is no directory " + dir},
		"a file":            {Draft{Kind: Local, Location: file}, []string{"location"}, "is a file"},
		"below a file":      {Draft{Kind: Local, Location: file + "/x"}, []string{"location"}, "can't be looked at"},
		"a NUL":             {Draft{Kind: Local, Location: dir + "\x00"}, []string{"location"}, "control character"},
		"a name":            {Draft{Kind: Local, Location: dir, Name: "a/b"}, []string{"name"}, "it has a slash"},
		"a long name":       {Draft{Kind: Local, Location: dir, Name: strings.Repeat("n", 121)}, []string{"name"}, "121 characters"},
		"paths":             {Draft{Kind: Local, Location: dir, Ignore: make([]string, 1001), AllowSecrets: []string{"a\x00"}}, []string{"allow", "ignore"}, "1001 lines"},
		"a long path":       {Draft{Kind: Local, Location: dir, Ignore: []string{strings.Repeat("p", 1001)}}, []string{"ignore"}, "longer than 1000"},
	} {
		_, err := r.Add(t.Context(), c.draft)
		if !slices.Equal(fields(err), c.fields) || !strings.Contains(err.Error(), c.words) || fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%s: %v is about %v", name, err, fields(err))
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: the password is shown", name)
		}
	}
	if got := names(t, r); got != nil {
		t.Errorf("registered: %v", got)
	}
}

func TestNames(t *testing.T) {
	for name, bad := range map[string]string{"slash": "a/b", "long": strings.Repeat("n", 121), "control": "a\tb", "space": " a", "dots": "..", "bytes": "\xff", "empty": ""} {
		if err := CheckName(bad); !slices.Equal(fields(err), []string{"name"}) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := CheckName(strings.Repeat("ü", 120)); err != nil {
		t.Error(err)
	}
	for place, want := range map[string]string{"https://h/o/notes.git": "notes", "git@h:o/notes": "notes", "git@h:notes.git": "notes", "/srv/notes/": "notes", "notes": "notes"} {
		if got := nameOf(place); got != want {
			t.Errorf("%s is called %q", place, got)
		}
	}
	for file, want := range map[string]string{"lab.tar.gz": "lab", "lab.v2.ZIP": "lab.v2", `C:\me\lab.tgz`: "lab", ".zip": ".zip", "lab": "lab"} {
		if got := archiveName(file); got != want {
			t.Errorf("%s is called %q", file, got)
		}
	}
}

func TestTwoSourcesNeverShareANameOrAPlace(t *testing.T) {
	ctx := t.Context()
	r := newRegistry(t, testkit.DB(t), nil)
	dir := filepath.Join(t.TempDir(), "notes")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	local, err := r.Add(ctx, Draft{Kind: Local, Location: dir + "/."})
	if err != nil || local.Name != "notes" || local.Location != dir || local.Host != "here" {
		t.Fatalf("%+v, %v", local, err)
	}
	if _, err := r.Add(ctx, Draft{Kind: Local, Location: dir, Name: "other"}); !slices.Equal(fields(err), []string{"location"}) || !strings.Contains(err.Error(), `"notes" already`) {
		t.Errorf("the same directory: %v", err)
	}
	repository := Draft{Kind: Git, Location: "https://git.example/me/notes.git"}
	if _, err := r.Add(ctx, repository); !slices.Equal(fields(err), []string{"name"}) || !strings.Contains(err.Error(), "such as notes-2") {
		t.Errorf("the same name: %v", err)
	}
	repository.Name, repository.Ignore, repository.Branch = "notes-2", []string{"old/"}, "main"
	git, err := r.Add(ctx, repository)
	if err != nil || git.Branch != "main" || !slices.Equal(git.Ignore, []string{"old/"}) || git.Host != "" {
		t.Fatalf("%+v, %v", git, err)
	}
	repository.Name = "again"
	if _, err := r.Add(ctx, repository); !slices.Equal(fields(err), []string{"location"}) {
		t.Errorf("the same repository: %v", err)
	}
	// An edit.
	if _, err := r.Edit(ctx, git.ID, Draft{Name: "notes"}); !slices.Equal(fields(err), []string{"name"}) || !strings.Contains(err.Error(), "such as notes-3") {
		t.Errorf("another's name: %v", err)
	}
	if _, err := r.Edit(ctx, git.ID, Draft{Name: "", Branch: "-x", Ignore: []string{"\n"}, AllowSecrets: []string{"\x00"}}); !slices.Equal(fields(err), []string{"allow", "branch", "ignore", "name"}) {
		t.Errorf("all wrong: %v", err)
	}
	edited, err := r.Edit(ctx, local.ID, Draft{Name: "diary", Branch: "main", AllowSecrets: []string{"demo/.env"}})
	if err != nil || edited.Name != "diary" || edited.Branch != "" || len(edited.AllowSecrets) != 1 {
		t.Errorf("%+v, %v", edited, err)
	}
	for _, err := range []error{r.Remove(ctx, 99), r.Keep(ctx, 99), func() error { _, err := r.Edit(ctx, 99, Draft{Name: "x"}); return err }(), func() error { _, err := r.Get(ctx, 0); return err }()} {
		if fault.CodeOf(err) != fault.NotFound {
			t.Errorf("a source that isn't there: %v", err)
		}
	}
	// A removed one waits for the sync, and can be kept.
	if err := errors.Join(r.Remove(ctx, git.ID), r.Remove(ctx, git.ID)); err != nil {
		t.Fatal(err)
	}
	if got := names(t, r); !slices.Equal(got, []string{"diary", "notes-2 removed"}) {
		t.Errorf("%v", got)
	}
	repository.Name = "notes-2"
	if _, err := r.Add(ctx, repository); !slices.Equal(fields(err), []string{"location"}) || !strings.Contains(err.Error(), "Keep it instead") {
		t.Errorf("adding a removed one: %v", err)
	}
	repository.Location = "https://git.example/else.git"
	if _, err := r.Add(ctx, repository); !slices.Equal(fields(err), []string{"name"}) || !strings.Contains(err.Error(), "Sync first") {
		t.Errorf("taking a removed one's name: %v", err)
	}
	if sync, remove, _ := planned(t, r); !slices.Equal(sync, []string{"diary"}) || !slices.Equal(remove, []string{"notes-2"}) {
		t.Errorf("planned %v and %v", sync, remove)
	}
	if err := r.Keep(ctx, git.ID); err != nil {
		t.Error(err)
	}
	if sync, remove, _ := planned(t, r); !slices.Equal(sync, []string{"diary", "notes-2"}) || remove != nil {
		t.Errorf("planned %v and %v", sync, remove)
	}
	// A directory of another host is left out there.
	other := newRegistry(t, r.DB, func(c *Config) { c.Host = "there" })
	if sync, _, elsewhere := planned(t, other); !slices.Equal(sync, []string{"notes-2"}) || !slices.Equal(elsewhere, []string{"diary"}) {
		t.Errorf("planned %v there, %v elsewhere", sync, elsewhere)
	}
}

func TestFoldersOfACommand(t *testing.T) {
	ctx := t.Context()
	r := newRegistry(t, testkit.DB(t), nil)
	a, b := filepath.Join(t.TempDir(), "notes"), filepath.Join(t.TempDir(), "notes")
	for _, dir := range []string{a, b} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	folders := func(f ...Folder) Source {
		t.Helper()
		list, err := r.Folders(ctx, f)
		if err != nil {
			t.Fatal(err)
		}
		return list[0]
	}
	first := folders(Folder{Dir: a, Ignore: []string{"x"}})
	if first.Name != "notes" || first.Host != "here" {
		t.Errorf("%+v", first)
	}
	if again := folders(Folder{Dir: a}); again.ID != first.ID || !slices.Equal(again.Ignore, []string{"x"}) {
		t.Errorf("%+v", again)
	}
	for what, err := range map[string]error{
		"mistyped":      func() error { _, err := r.Folders(ctx, []Folder{{Dir: b + "s", Name: "b"}}); return err }(),
		"a taken name":  func() error { _, err := r.Folders(ctx, []Folder{{Dir: b}}); return err }(),
		"a bad name":    func() error { _, err := r.Folders(ctx, []Folder{{Dir: b, Name: "a/b"}}); return err }(),
		"twice":         func() error { _, err := r.Folders(ctx, []Folder{{Dir: b, Name: "b"}, {Dir: b + "/."}}); return err }(),
		"bytes":         func() error { _, err := r.Folders(ctx, []Folder{{Dir: b + "\xff", Name: "b"}}); return err }(),
		"all or nobody": func() error { _, err := r.Folders(ctx, []Folder{{Dir: b, Name: "b"}, {Dir: a, Name: "b"}}); return err }(),
	} {
		if fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%s: %v", what, err)
		}
	}
	if got := names(t, r); !slices.Equal(got, []string{"notes"}) {
		t.Errorf("%v", got)
	}
	if err := os.Remove(a); err != nil { // it stays a source: its disk may come back
		t.Fatal(err)
	}
	if err := r.Remove(ctx, first.ID); err != nil {
		t.Fatal(err)
	}
	if renamed := folders(Folder{Dir: a, Name: "lab"}); renamed.ID != first.ID || renamed.Name != "lab" || renamed.Removed {
		t.Errorf("%+v", renamed)
	}
	if got := names(t, r); !slices.Equal(got, []string{"lab"}) {
		t.Errorf("what is imported isn't removed: %v", got)
	}
}

func TestSettingsServeWhileThereIsNoGitRow(t *testing.T) {
	ctx := t.Context()
	d := testkit.DB(t)
	if _, err := New(Config{DB: d, GitSources: []string{"https://me:hunter2@h/x.git"}}); err == nil || !strings.Contains(err.Error(), "BOR_GIT_SOURCES") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("a bad address in the settings: %v", err)
	}
	r := newRegistry(t, d, func(c *Config) {
		c.GitSources = []string{"https://h/a/notes.git", "https://h/b/notes.git", "https://h/b/notes.git"}
	})
	if got := names(t, r); !slices.Equal(got, []string{"notes from settings", "notes from settings"}) {
		t.Errorf("before the first sync: %v", got)
	}
	if sync, remove, _ := planned(t, r); !slices.Equal(sync, []string{"notes", "notes-2"}) || remove != nil {
		t.Errorf("planned %v and %v", sync, remove)
	}
	list, err := r.List(ctx)
	if err != nil || len(list) != 2 || !list[0].FromSettings {
		t.Fatalf("%+v, %v", list, err)
	}
	_, edit := r.Edit(ctx, list[0].ID, Draft{Name: "x"})
	for _, err := range []error{r.Remove(ctx, list[0].ID), edit} {
		if fault.CodeOf(err) != fault.Conflict {
			t.Errorf("changing one of the settings': %v", err)
		}
	}
	if _, err := r.Add(ctx, Draft{Kind: Git, Location: "https://h/a/notes.git", Name: "x"}); !slices.Equal(fields(err), []string{"location"}) || !strings.Contains(err.Error(), "BOR_GIT_SOURCES") {
		t.Errorf("adding one of the settings': %v", err)
	}
	// One that left the settings goes.
	fewer := newRegistry(t, d, func(c *Config) { c.GitSources = r.GitSources[:1] })
	if got := names(t, fewer); !slices.Equal(got, []string{"notes from settings", "notes-2 removed from settings"}) {
		t.Errorf("%v", got)
	}
	if sync, remove, _ := planned(t, fewer); !slices.Equal(sync, []string{"notes"}) || !slices.Equal(remove, []string{"notes-2"}) {
		t.Errorf("planned %v and %v", sync, remove)
	}
	// A row of the admin's ends their time.
	own, err := r.Add(ctx, Draft{Kind: Git, Location: "https://h/own.git"})
	if err != nil {
		t.Fatal(err)
	}
	if sync, remove, _ := planned(t, r); !slices.Equal(sync, []string{"own"}) || !slices.Equal(remove, []string{"notes", "notes-2"}) {
		t.Errorf("planned %v and %v", sync, remove)
	}
	if got := names(t, r); !slices.Equal(got, []string{"notes removed from settings", "notes-2 removed from settings", "own"}) {
		t.Errorf("%v", got)
	}
	// Taken over, they are like others.
	if err := r.Adopt(ctx); err != nil {
		t.Fatal(err)
	}
	if sync, remove, _ := planned(t, r); !slices.Equal(sync, []string{"notes", "notes-2", "own"}) || remove != nil {
		t.Errorf("planned %v and %v", sync, remove)
	}
	if err := errors.Join(r.Remove(ctx, own.ID), r.Remove(ctx, list[0].ID)); err != nil {
		t.Error(err)
	}
}

func TestWhatIsToldOfASource(t *testing.T) {
	ctx := t.Context()
	r := newRegistry(t, testkit.DB(t), nil)
	s, err := r.Add(ctx, Draft{Kind: Git, Location: "https://h/x.git"})
	if err != nil {
		t.Fatal(err)
	}
	exec(t, r, "INSERT INTO skipped_files (source_id, path, reason) VALUES ($1, 'b', 'two'), ($1, 'a', 'one')", s.ID)
	if err := r.Record(ctx, s.ID, Outcome{State: "done", Files: 3, Added: 2}, "c0ffee"); err != nil {
		t.Fatal(err)
	}
	done, err := r.Get(ctx, s.ID)
	if err != nil || done.Last.Added != 2 || done.Revision != "c0ffee" || done.Synced.IsZero() || done.Synced != done.LastRun || done.Skipped != 2 || done.Documents != 0 {
		t.Errorf("%+v, %v", done, err)
	}
	if err := r.Record(ctx, s.ID, Outcome{State: "failed", Error: "away"}, "new"); err != nil {
		t.Fatal(err)
	}
	failed, err := r.Get(ctx, s.ID)
	if err != nil || failed.Last.Error != "away" || failed.Revision != "c0ffee" || failed.Synced != done.Synced || !failed.LastRun.After(done.LastRun) {
		t.Errorf("%+v, %v", failed, err)
	}
	skipped, err := r.SkippedFiles(ctx, s.ID)
	if err != nil || !slices.Equal(skipped, []Skipped{{"a", "one"}, {"b", "two"}}) {
		t.Errorf("%v, %v", skipped, err)
	}
}

func exec(t *testing.T, r *Registry, sql string, args ...any) {
	t.Helper()
	if _, err := r.DB.Pool.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

func TestLines(t *testing.T) {
	if got := Lines("old/\r\n\n  \n drafts \nx"); !slices.Equal(got, []string{"old/", " drafts ", "x"}) {
		t.Errorf("%q", got)
	}
	if got := Lines(""); got == nil || len(got) != 0 {
		t.Errorf("%#v", got)
	}
}
