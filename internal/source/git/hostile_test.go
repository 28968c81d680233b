package git

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"bor/internal/fault"
	"bor/internal/source"
)

// marker is a file that an attack would make.
func marker(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "marker")
	t.Cleanup(func() {
		if _, err := os.Stat(name); err == nil {
			t.Error("the attack made its file")
		}
	})
	return name
}

// script is a program that makes the marker.
func script(t *testing.T, path, marker string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte("#!/bin/sh\ntouch '"+marker+"'\n"), 0o755))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// unchecked talks to a remote as if its address and branch had been taken.
func unchecked(t *testing.T, r Remote, o Options) error {
	t.Helper()
	binary, err := find(context.Background())
	must(t, err)
	c, err := claim(o.CacheDir, r)
	must(t, err)
	tree := &Tree{cache: c, git: newProgram(binary, c.dir, address{scheme: "https", host: "h.org", path: "/x"}, o)}
	defer tree.Close()
	if _, err := tree.ask(context.Background(), r); err == nil {
		t.Errorf("%q was asked", r)
	}
	if err := tree.anew(context.Background(), r, head{ref: "HEAD", commit: strings.Repeat("0", 40)}); err == nil {
		t.Errorf("%q was fetched", r)
	} else {
		return err
	}
	return nil
}

// Addresses are checked; and git wouldn't do what they want even if they weren't.
func TestHostileAddressesDoNothing(t *testing.T) {
	touch := marker(t)
	for _, url := range []string{"ext::touch% " + touch, "ext::sh -c touch% " + touch, "--upload-pack=touch " + touch, "fd::0",
		"-c", "ssh://-oProxyCommand=touch%20" + touch + "/x", "http://127.0.0.1:9/x", "git://127.0.0.1:9/x", "/etc", "file:///etc"} {
		o := options(t)
		o.Access.AllowLocal = false
		err := unchecked(t, Remote{URL: url}, o)
		if strings.Contains(url, "::") && (err == nil || !strings.Contains(err.Error(), "not allowed")) {
			t.Errorf("%q: %v", url, err)
		}
	}
}

func TestBranchesAreNoCommands(t *testing.T) {
	touch := marker(t)
	r := newRepository(t)
	r.write("a.md", "one")
	r.commit()
	for _, name := range []string{"$(touch${IFS}" + touch + ")", "`touch${IFS}" + touch + "`", "a;touch${IFS}" + touch, "a'|touch${IFS}" + touch + "'"} {
		r.git("update-ref", "refs/heads/"+name, "HEAD")
		if got := follow(t, Remote{URL: r.dir, Branch: name}, options(t)); got.branch != name {
			t.Errorf("%q is called %q", name, got.branch)
		}
	}
	wantFault(t, refused(t, Remote{URL: r.dir, Branch: "--upload-pack=touch"}, options(t)), fault.Invalid, "dash")
}

// Nothing of the account's or the machine's configuration is used.
func TestTheUsersConfigurationIsNotRead(t *testing.T) {
	touch := marker(t)
	home := t.TempDir()
	script(t, filepath.Join(home, "attack"), touch)
	attack := filepath.Join(home, "attack")
	config := filepath.Join(home, ".gitconfig")
	must(t, os.WriteFile(config, []byte(`[url "ext::`+attack+`"]
	insteadOf = https://
[credential]
	helper = `+attack+`
[core]
	askPass = `+attack+`
	sshCommand = `+attack+`
	fsmonitor = `+attack+`
	hooksPath = `+home+`
[http]
	proxy = http://127.0.0.1:9
	extraHeader = X-Config: read
[protocol]
	allow = always
`), 0o600))
	for _, hook := range []string{"reference-transaction", "post-checkout", "pre-auto-gc"} {
		script(t, filepath.Join(home, hook), touch)
	}
	r := newRepository(t)
	r.write("a.md", "one")
	r.commit()
	s, o := serve(t, filepath.Dir(r.dir), "", "")
	must(t, os.WriteFile(filepath.Join(home, ".netrc"), []byte("machine 127.0.0.1 login me password secret\n"), 0o600))
	for name, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": home, "GIT_CONFIG_GLOBAL": config, "GIT_CONFIG_SYSTEM": config, "GIT_CONFIG": config,
		"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "http.proxy", "GIT_CONFIG_VALUE_0": "http://127.0.0.1:9", "GIT_CONFIG_PARAMETERS": "'http.proxy'='http://127.0.0.1:9'",
		"GIT_ASKPASS": attack, "SSH_ASKPASS": attack, "GIT_SSH_COMMAND": attack, "GIT_SSH": attack, "GIT_PROXY_COMMAND": attack, "GIT_EXTERNAL_DIFF": attack,
		"GIT_DIR": r.dir, "GIT_WORK_TREE": home, "GIT_OBJECT_DIRECTORY": home, "GIT_NAMESPACE": "x", "GIT_TEMPLATE_DIR": home,
		"GIT_TRACE": filepath.Join(home, "trace"), "GIT_ALLOW_PROTOCOL": "ext", "GIT_TERMINAL_PROMPT": "1",
	} {
		t.Setenv(name, value)
	}
	s.backend.Env = append(s.backend.Env, "GIT_DIR=", "HOME=/nonexistent") // the server is another machine
	if got := follow(t, Remote{URL: s.URL + "/notes.git"}, o); got.paths() != "a.md" {
		t.Errorf("read %v", got.order)
	}
	s.login("x") // now it wants a login, which only .netrc and the helpers have
	wantFault(t, refused(t, Remote{URL: s.URL + "/notes.git"}, o), fault.Forbidden, "wants a login")
	for _, request := range s.requests {
		if request.Header.Get("Authorization") != "" || request.Header.Get("X-Config") != "" {
			t.Errorf("the server got %v", request.Header)
		}
	}
	if _, err := os.Stat(filepath.Join(home, "trace")); err == nil {
		t.Error("git traced")
	}
}

func TestHooksOfTheCopyAreOff(t *testing.T) {
	touch := marker(t)
	r := newRepository(t)
	r.write("a.md", "one")
	r.commit()
	o := options(t)
	follow(t, Remote{URL: r.dir}, o)
	hooks := filepath.Join(o.CacheDir, copies(t, o)[0], "repo", "hooks")
	for _, hook := range []string{"reference-transaction", "post-merge", "post-checkout", "pre-auto-gc", "post-rewrite"} {
		script(t, filepath.Join(hooks, hook), touch)
	}
	r.write("a.md", "two")
	r.commit()
	if got := follow(t, Remote{URL: r.dir}, o); got.files["a.md"].Text != "two" {
		t.Errorf("read %q", got.files["a.md"].Text)
	}
}

func TestSubmodulesAndLFSAreReported(t *testing.T) {
	other := newRepository(t)
	other.write("inside.md", "other")
	sub := other.commit()
	r := newRepository(t)
	r.write(".gitmodules", "[submodule \"themes/x\"]\n\tpath = themes/x\n\turl = "+other.dir+"\n")
	r.write(".gitattributes", "*.md filter=lfs diff=lfs merge=lfs -text\n*.txt filter=attack ident text eol=crlf working-tree-encoding=UTF-16\n")
	pointer := "version https://git-lfs.github.com/spec/v1\noid sha256:" + strings.Repeat("a", 64) + "\nsize 12345\n"
	r.write("large.md", pointer)
	r.write("about.md", pointer+strings.Repeat("is how a pointer looks\n", 50))
	r.git("-c", "filter.lfs.clean=", "add", "large.md", "about.md", ".gitmodules", ".gitattributes")
	r.git("update-index", "--add", "--cacheinfo", "100644,"+r.object("blob", "$Id$\nas it is\n")+",note.txt")
	r.git("update-index", "--add", "--cacheinfo", "160000,"+sub+",themes/x")
	r.git("update-index", "--add", "--cacheinfo", "160000,"+sub+",vendor/hidden")
	r.git("update-index", "--add", "--cacheinfo", "160000,"+sub+",node_modules")
	r.commitTree(r.git("write-tree"))
	got := follow(t, Remote{URL: r.dir}, options(t))
	if got.paths() != "about.md note.txt" || got.files["note.txt"].Text != "$Id$\nas it is\n" {
		t.Errorf("read %q, %q", got.paths(), got.files["note.txt"].Text)
	}
	if got.skips["themes/x"].Kind != source.KindSubmodule || got.skips["large.md"].Kind != source.KindLFS || len(got.skips) != 2 {
		t.Errorf("skipped %v", got.skips)
	}
}

// A repository can name further places to download from; none is gone to.
func TestNoOtherPlaceIsGoneTo(t *testing.T) {
	var asked atomic.Int32
	elsewhere := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		http.NotFound(w, r)
	}))
	defer elsewhere.Close()
	r := newRepository(t)
	r.write("a.md", "one")
	r.commit()
	blob := r.git("rev-parse", "HEAD:a.md")
	r.git("config", "uploadpack.advertiseBundleURIs", "true")
	r.git("config", "bundle.version", "1")
	r.git("config", "bundle.mode", "all")
	r.git("config", "bundle.one.uri", elsewhere.URL+"/one.bundle")
	r.git("config", "uploadpack.blobPackfileUri", blob+" "+strings.Repeat("0", 40)+" "+elsewhere.URL+"/pack")
	s, o := serve(t, filepath.Dir(r.dir), "", "")
	if got := follow(t, Remote{URL: s.URL + "/notes.git"}, o); got.paths() != "a.md" {
		t.Errorf("read %v", got.order)
	}
	s.answer(func(w http.ResponseWriter, r *http.Request) bool {
		http.Redirect(w, r, elsewhere.URL+r.URL.String(), http.StatusFound)
		return true
	})
	wantFault(t, refused(t, Remote{URL: s.URL + "/notes.git"}, o), fault.NotFound, "Redirections aren't followed")
	if n := asked.Load(); n != 0 {
		t.Errorf("another server was asked %d times", n)
	}
}

func TestHostileTreesAreRefused(t *testing.T) {
	for name, tree := range map[string]func(*repository, string, string) string{
		"git's folder":  func(r *repository, blob, sub string) string { return r.tree(treeItem{"40000", ".git", sub}) },
		"in capitals":   func(r *repository, blob, sub string) string { return r.tree(treeItem{"40000", ".GIT", sub}) },
		"short name":    func(r *repository, blob, sub string) string { return r.tree(treeItem{"40000", "git~1", sub}) },
		"unseen letter": func(r *repository, blob, sub string) string { return r.tree(treeItem{"40000", ".g\u200cit", sub}) },
		"above":         func(r *repository, blob, sub string) string { return r.tree(treeItem{"40000", "..", sub}) },
		"itself":        func(r *repository, blob, sub string) string { return r.tree(treeItem{"40000", ".", sub}) },
		"a whole path":  func(r *repository, blob, sub string) string { return r.tree(treeItem{"100644", "../../x.md", blob}) },
		"twice the same": func(r *repository, blob, sub string) string {
			return r.tree(treeItem{"100644", "a.md", blob}, treeItem{"100644", "a.md", blob})
		},
		"submodule option": func(r *repository, blob, sub string) string {
			return r.tree(treeItem{"100644", ".gitmodules", r.object("blob", "[submodule \"x\"]\n\tpath = x\n\turl = -utouch\n")})
		},
		"submodule above": func(r *repository, blob, sub string) string {
			return r.tree(treeItem{"100644", ".gitmodules", r.object("blob", "[submodule \"../../x\"]\n\tpath = x\n\turl = https://h.org/x\n")})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepository(t)
			blob := r.object("blob", "text")
			r.commitTree(tree(r, blob, r.tree(treeItem{"100644", "config", blob})))
			o := options(t)
			wantFault(t, refused(t, Remote{URL: r.dir}, o), fault.Invalid, "git's own check refuses")
			if _, err := os.Stat(filepath.Join(o.CacheDir, copies(t, o)[0], "repo")); !errors.Is(err, os.ErrNotExist) {
				t.Error("something of it stays")
			}
		})
	}
}

func TestADamagedRepositoryIsSaidToBe(t *testing.T) {
	r := newRepository(t)
	r.commitTree(r.tree(treeItem{"100644", "", r.object("blob", "text")})) // git's own server reads it before it sends it
	wantFault(t, refused(t, Remote{URL: r.dir}, options(t)), fault.Invalid, "damaged where it is kept")
}

func TestOddNames(t *testing.T) {
	r := newRepository(t)
	blob := r.object("blob", "text")
	odd := r.tree(treeItem{"100644", "a.md", blob})
	long := odd
	for range 6 {
		long = r.tree(treeItem{"40000", strings.Repeat("ab", 100), long})
	}
	// Rows of a tree are in the order of their bytes.
	tree := r.tree(treeItem{"100644", "\x1b[31m.md", blob}, treeItem{"100644", "A.md", blob}, treeItem{"100644", "a\nb.md", blob}, treeItem{"100644", "a.md", blob},
		treeItem{"40000", "deep", long}, treeItem{"100644", "n\xff.md", blob}, treeItem{"100644", "n\xff.png", blob}, treeItem{"100644", "tab\t.md", blob}, treeItem{"40000", "\xff", odd})
	r.commitTree(tree)
	got := follow(t, Remote{URL: r.dir}, options(t))
	if want := "\x1b[31m.md A.md a\nb.md a.md tab\t.md"; got.paths() != want {
		t.Errorf("read %q", got.paths())
	}
	if got.skips[`n\xff.md`].Kind != source.KindBadName || got.skips[`\xff`].Kind != source.KindBadName || len(got.skips) != 3 {
		t.Errorf("skipped %q", got.skips)
	}
}

func TestOddCommits(t *testing.T) {
	for name, c := range map[string]struct {
		rest string
		year int
	}{
		"brackets":       {"author a 1 +0000\ncommitter > <x>> 1700000000 +9999\n\n", 2023},
		"no date":        {"author a <b> 1 +0000\ncommitter a <b>\n\n", 1},
		"far":            {"author a <b> 1 +0000\ncommitter a <b> 99999999999999 +0000\n\n", 1},
		"never":          {"author a <b> 1 +0000\ncommitter a <b> -5 +0000\n\n", 1},
		"control":        {"author \x1b[31m\xff <b> 1 +0000\ncommitter \x1b]0;x\x07 <b> 1700000000 +0000\n\n\x1b[2J\xff", 2023},
		"in the message": {"author a <b> 1 +0000\ncommitter a <b> 1700000000 +0000\n\ncommitter a <b> 1 +0000\n", 2023},
		"encoding":       {"author a <b> 1 +0000\ncommitter a <b> 1700000000 +0000\nencoding ../../x\n\nx", 2023},
		"long":           {"author a <b> 1 +0000\ncommitter a <b> 1700000000 +0000\n\n" + strings.Repeat("x", 3<<20), 2023},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRepository(t)
			tree := r.tree(treeItem{"100644", "a.md", r.object("blob", "text")})
			r.git("update-ref", "refs/heads/main", r.object("commit", "tree "+tree+"\n"+c.rest))
			got := follow(t, Remote{URL: r.dir}, options(t))
			if f := got.files["a.md"]; f.Text != "text" || f.ModTime.Year() != c.year {
				t.Errorf("%q of %s", f.Text, f.ModTime)
			}
		})
	}
}

// A few kilobytes can name more files than there is time to list.
func TestATreeBombIsRefused(t *testing.T) {
	r := newRepository(t)
	item := treeItem{"100644", "x.md", r.object("blob", "boom")}
	for range 9 {
		var items []treeItem
		for i := range 10 {
			items = append(items, treeItem{item.mode, fmt.Sprint(i, item.name[1:]), item.oid})
		}
		item = treeItem{"40000", "x", r.tree(items...)}
	}
	r.commitTree(item.oid)
	tree := open(t, Remote{URL: r.dir}, options(t))
	_, err := tree.Count(context.Background())
	wantFault(t, err, fault.Invalid, "more than 2000000 files")
}

func TestARepositoryOverTheLimitIsRefused(t *testing.T) {
	r := newRepository(t)
	var noise [300 << 10]byte
	for i := range 10 {
		rand.Read(noise[:])
		r.write(fmt.Sprint(i, ".txt"), hex.EncodeToString(noise[:]))
	}
	r.commit()
	o := options(t)
	o.Limits.MaxBytes = 1 << 20
	wantFault(t, refused(t, Remote{URL: r.dir}, o), fault.Invalid, "more than 1 MB", "BOR_GIT_MAX_MB")
	if _, err := os.Stat(filepath.Join(o.CacheDir, copies(t, o)[0], "repo")); !errors.Is(err, os.ErrNotExist) {
		t.Error("something of it stays")
	}
	o.Limits.MaxBytes = 0
	if got := follow(t, Remote{URL: r.dir}, o); got.count != 10 {
		t.Errorf("%d files without a limit", got.count)
	}
}
