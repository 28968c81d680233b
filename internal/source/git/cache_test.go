package git

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bor/internal/fault"
)

// repo is the folder of the only copy.
func repo(t *testing.T, o Options) string {
	t.Helper()
	all := copies(t, o)
	if len(all) != 1 {
		t.Fatalf("copies: %v", all)
	}
	return filepath.Join(o.CacheDir, all[0], "repo")
}

func find1(t *testing.T, pattern ...string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(pattern...))
	if err != nil || len(names) == 0 {
		t.Fatal(pattern, err)
	}
	return names[0]
}

// Whatever is wrong with the copy, the next run has the files.
func TestABrokenCopyIsMadeAnew(t *testing.T) {
	for name, breakIt := range map[string]func(*testing.T, string){
		"stale locks": func(t *testing.T, repo string) {
			for _, lock := range []string{"shallow.lock", "refs/bor/tip.lock", "packed-refs.lock", "HEAD.lock", "config.lock", "gc.pid.lock"} {
				must(t, os.WriteFile(filepath.Join(repo, lock), nil, 0o600))
			}
			must(t, os.WriteFile(filepath.Join(repo, "objects/pack/tmp_pack_AbCdEf"), make([]byte, 1000), 0o400))
		},
		"no pack": func(t *testing.T, repo string) { must(t, os.Remove(find1(t, repo, "objects/pack/*.pack"))) },
		"half a pack": func(t *testing.T, repo string) {
			pack := find1(t, repo, "objects/pack/*.pack")
			must(t, os.Chmod(pack, 0o600))
			must(t, os.Truncate(pack, 60))
		},
		"no index":     func(t *testing.T, repo string) { must(t, os.Remove(find1(t, repo, "objects/pack/*.idx"))) },
		"no reference": func(t *testing.T, repo string) { must(t, os.RemoveAll(filepath.Join(repo, "refs"))) },
		"bad reference": func(t *testing.T, repo string) {
			must(t, os.WriteFile(filepath.Join(repo, "refs/bor/tip"), []byte("ref: refs/bor/tip\n"), 0o600))
		},
		"bad configuration": func(t *testing.T, repo string) {
			must(t, os.WriteFile(filepath.Join(repo, "config"), []byte("[core\n\x00"), 0o600))
		},
		"another format": func(t *testing.T, repo string) {
			must(t, os.WriteFile(filepath.Join(repo, "config"), []byte("[core]\nrepositoryformatversion = 99\n"), 0o600))
		},
		"no head": func(t *testing.T, repo string) { must(t, os.Remove(filepath.Join(repo, "HEAD"))) },
		"a file": func(t *testing.T, repo string) {
			must(t, os.RemoveAll(repo))
			must(t, os.WriteFile(repo, []byte("x"), 0o600))
		},
		"empty": func(t *testing.T, repo string) {
			must(t, os.RemoveAll(repo))
			must(t, os.Mkdir(repo, 0o700))
		},
		"removed": func(t *testing.T, repo string) { must(t, os.RemoveAll(filepath.Dir(filepath.Dir(repo)))) },
	} {
		for _, changed := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " ", changed), func(t *testing.T) {
				t.Parallel()
				r := newRepository(t)
				r.write("a.md", "one")
				r.write("deep/b.md", "two")
				r.commit()
				o := options(t)
				follow(t, Remote{URL: r.dir}, o)
				breakIt(t, repo(t, o))
				want := "one"
				if changed {
					want = "three"
					r.write("a.md", want)
					r.commit()
				}
				got := follow(t, Remote{URL: r.dir}, o)
				if got.paths() != "a.md deep/b.md" || got.files["a.md"].Text != want {
					t.Errorf("read %q", got.paths())
				}
				if left, _ := filepath.Glob(filepath.Join(repo(t, o), "objects/pack/tmp_*")); len(left) > 0 {
					t.Errorf("left: %v", left)
				}
			})
		}
	}
}

// A disk that changed a byte is noticed when that is read: the run fails, and the
// next one has the files.
func TestADamagedFileFailsTheRunAndNotTheNext(t *testing.T) {
	r := newRepository(t)
	r.write("a.md", strings.Repeat("one two three\n", 100))
	r.commit()
	o := options(t)
	follow(t, Remote{URL: r.dir}, o)
	oid := r.git("rev-parse", "HEAD:a.md")
	pack := find1(t, repo(t, o), "objects/pack/*.pack")
	listed := r.must(exec.Command("git", "verify-pack", "-v", pack))
	var offset int64
	for line := range strings.Lines(listed) {
		if strings.HasPrefix(line, oid) {
			fmt.Sscanf(strings.Fields(line)[4], "%d", &offset)
		}
	}
	must(t, os.Chmod(pack, 0o600))
	f, err := os.OpenFile(pack, os.O_RDWR, 0)
	must(t, err)
	_, err = f.WriteAt([]byte("\x00\x00\x00\x00"), offset+6)
	must(t, err)
	must(t, f.Close())

	tree := open(t, Remote{URL: r.dir}, o)
	err = tree.Walk(context.Background(), nil, nil)
	wantFault(t, err, fault.Unavailable, "damaged", "next sync")
	must(t, tree.Close())
	if got := follow(t, Remote{URL: r.dir}, o); got.paths() != "a.md" {
		t.Errorf("read %q", got.paths())
	}
}

// The copy doesn't grow with the number of fetches.
func TestTheCopyIsPackedAnew(t *testing.T) {
	r := newRepository(t)
	o := options(t)
	for n := range maxPacks + 3 {
		r.write("a.md", fmt.Sprint("number ", n))
		r.commit()
		if got := follow(t, Remote{URL: r.dir}, o); got.files["a.md"].Text != fmt.Sprint("number ", n) {
			t.Fatalf("%d: read %q", n, got.files["a.md"].Text)
		}
	}
	if packs, _ := filepath.Glob(filepath.Join(repo(t, o), "objects/pack/*.pack")); len(packs) > 3 {
		t.Errorf("%d packs", len(packs))
	}
	if loose, _ := filepath.Glob(filepath.Join(repo(t, o), "objects/??")); len(loose) > 0 {
		t.Errorf("loose objects: %v", loose)
	}
}

func TestRunsDoNotWaitForEachOther(t *testing.T) {
	r := newRepository(t)
	r.write("a.md", "one")
	r.commit()
	o := options(t)
	remote := Remote{URL: r.dir}
	first, second := open(t, remote, o), open(t, remote, o)
	if read(t, first).paths() != "a.md" || read(t, second).paths() != "a.md" {
		t.Error("one of two runs read nothing")
	}
	if n := len(copies(t, o)); n != 2 {
		t.Errorf("%d copies", n)
	}
	other := Remote{URL: r.dir, Branch: "main"}
	follow(t, other, o)
	must(t, second.Close())
	must(t, os.Mkdir(filepath.Join(o.CacheDir, "lost+found"), 0o700))
	must(t, Sweep(o.CacheDir, nil)) // the first is being read
	if got := copies(t, o); len(got) != 2 || !slices.Contains(got, "lost+found") {
		t.Errorf("left: %v", got)
	}
	must(t, first.Close())
	must(t, Sweep(o.CacheDir, []Remote{remote}))
	if n := len(copies(t, o)); n != 2 {
		t.Errorf("%d copies of what is kept", n)
	}
	must(t, Sweep(o.CacheDir, []Remote{other}))
	if got := copies(t, o); len(got) != 1 {
		t.Errorf("left: %v", got)
	}
	must(t, Sweep(filepath.Join(o.CacheDir, "none"), nil))

	var all []*cache
	for range maxSlots {
		c, err := claim(o.CacheDir, remote)
		must(t, err)
		all = append(all, c)
	}
	_, err := claim(o.CacheDir, remote)
	wantFault(t, err, fault.Conflict, "Too many")
	for _, c := range all {
		must(t, c.release())
	}
}

// A run that is killed in the middle of a fetch leaves nothing in the way.
func TestKilledInTheMiddleOfAFetch(t *testing.T) {
	r := newRepository(t)
	for n := range 50 {
		r.write(fmt.Sprint(n, ".md"), fmt.Sprint("number ", n))
	}
	r.commit()
	s, o := serve(t, filepath.Dir(r.dir), "", "")
	reached, release := make(chan struct{}), make(chan struct{})
	stall := func(w http.ResponseWriter, r *http.Request) bool {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		if !strings.Contains(string(body), "command=fetch") && r.Header.Get("Content-Encoding") != "gzip" {
			return false
		}
		w.Header().Set("Content-Type", "application/x-git-upload-pack-result")
		io.WriteString(w, "000dpackfile\n0011\x01PACK\x00\x00\x00\x02\x00\x00\x00\x64") // a pack begins
		w.(http.Flusher).Flush()
		close(reached)
		<-release
		return true
	}
	s.answer(stall)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "TEST_OPEN="+s.URL+"/notes.git", "TEST_CACHE="+o.CacheDir, "TEST_CA="+o.Access.CAFile)
	var said strings.Builder
	cmd.Stderr = &said
	must(t, cmd.Start())
	<-reached
	must(t, cmd.Process.Kill())
	_ = cmd.Wait()
	if said.Len() > 0 {
		t.Errorf("it wasn't fetching: %s", said.String())
	}
	s.answer(nil)
	if got := follow(t, Remote{URL: s.URL + "/notes.git"}, o); got.count != 50 {
		t.Errorf("read %d files", got.count)
	}
	close(release)
	if n := len(copies(t, o)); n != 1 {
		t.Errorf("%d copies", n)
	}
}

func TestAFolderThatCannotBeUsed(t *testing.T) {
	r := newRepository(t)
	r.commit()
	o := options(t)
	must(t, os.WriteFile(o.CacheDir, nil, 0o600))
	wantFault(t, refused(t, Remote{URL: r.dir}, o), fault.Unavailable, "BOR_SOURCES_DIR")
	if err := Sweep(o.CacheDir, nil); err == nil {
		t.Error("a file was swept")
	}
	o.CacheDir = ""
	wantFault(t, refused(t, Remote{URL: r.dir}, o), fault.Invalid, "BOR_SOURCES_DIR")
}
