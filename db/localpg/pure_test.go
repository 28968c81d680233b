package localpg

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

func TestCompareVersions(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"0.7.4", "0.8.0", -1},
		{"0.8.0", "0.8.0", 0},
		{"0.8", "0.8.0", 0},
		{"0.8", "0.8.1", -1},
		{"0.10.0", "0.9.9", 1},
		{"9.6", "15", -1},
		{"/usr/lib/postgresql/9/bin", "/usr/lib/postgresql/17/bin", -1},
		{"", "0.8.0", -1},
		{"", "", 0},
	} {
		if got := compareVersions(c.a, c.b); got != c.want {
			t.Errorf("compareVersions(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
		if got := compareVersions(c.b, c.a); got != -c.want {
			t.Errorf("compareVersions(%q, %q) = %d, want %d", c.b, c.a, got, -c.want)
		}
	}
}

func TestNeedDatabase(t *testing.T) {
	cause := errors.New("no network")
	err := needDatabase(cause)
	if !errors.Is(err, cause) {
		t.Error("the cause is lost")
	}
	for _, want := range []string{"no network\n", "DATABASE_URL", "compose up", "postgresql-17-pgvector", "BOR_PG_BINDIR", "BOR_PG_MIRROR"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("does not say %q: %v", want, err)
		}
	}
}

func TestVersionPatterns(t *testing.T) {
	if got := submatch(serverMajor, []byte("postgres (PostgreSQL) 17.5 (Debian 17.5-1)\n")); got != "17" {
		t.Errorf("major %q", got)
	}
	control := "comment = 'default_version = no'\n# default_version = '9'\ndefault_version = '0.8.0'\n"
	if got := submatch(extensionVer, []byte(control)); got != "0.8.0" {
		t.Errorf("extension %q", got)
	}
	if got := submatch(extensionVer, nil); got != "" {
		t.Errorf("nothing: %q", got)
	}
}

// The driver must get back exactly the folder, whatever its name.
func TestConnURL(t *testing.T) {
	if got, want := connURL("bor", "bor", "/srv/a b+ü"), "postgres://bor@/bor?host=%2Fsrv%2Fa%20b%2B%C3%BC&port=5432&sslmode=disable"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, dir := range []string{"/run", "/a b", "/a+b", "/späte/Nächte", "/a&b=c#d?e@f", "/[x](y)*!", "/~x"} {
		conf, err := pgx.ParseConfig(connURL("role", "base", dir))
		if err != nil {
			t.Errorf("%q: %v", dir, err)
			continue
		}
		if conf.Host != dir || conf.Port != 5432 || conf.User != "role" || conf.Database != "base" || conf.TLSConfig != nil {
			t.Errorf("%q came back as %q port %d, role %q, database %q", dir, conf.Host, conf.Port, conf.User, conf.Database)
		}
	}
}

func TestParseSources(t *testing.T) {
	for _, c := range []struct {
		name, file, text string
		want             []source
	}{
		{"one line", "sources.list", "deb http://mirror.example/debian bookworm main contrib\n",
			[]source{{"http://mirror.example/debian", "bookworm", []string{"main", "contrib"}}}},
		{"options, tabs, comments", "x.list", "# deb http://no.example/debian bookworm main\n" +
			"deb\t[ arch=amd64 signed-by=/k.gpg ]\thttps://mirror.example/debian/ bookworm  main # the main one\n" +
			"deb-src http://mirror.example/debian bookworm main\n\ndeb http://broken.example\n",
			[]source{{"https://mirror.example/debian/", "bookworm", []string{"main"}}}},
		{"flat repository", "x.list", "deb [trusted=yes] file:/srv/debs ./\n", []source{{"file:/srv/debs", "./", []string{}}}},
		{"deb822", "debian.sources", "Types: deb\n# a remark\nURIs: http://mirror.example/debian\nSuites: bookworm bookworm-updates\nComponents: main\n" +
			"Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n\n\nTypes: deb deb-src\nURIs: http://mirror.example/debian-security\nSuites: bookworm-security\nComponents: main\n",
			[]source{{"http://mirror.example/debian", "bookworm", []string{"main"}}, {"http://mirror.example/debian", "bookworm-updates", []string{"main"}},
				{"http://mirror.example/debian-security", "bookworm-security", []string{"main"}}}},
		{"deb822 continued, any case, switched off", "x.sources", "types: deb\nuris:\n https://a.example/debian\n\thttps://b.example/debian\nSUITES: stable\ncomponents: main\n non-free\n\n" +
			"Types: deb\nURIs: http://off.example/debian\nSuites: bookworm\nComponents: main\nEnabled: no\n\nTypes: deb-src\nURIs: http://src.example/debian\nSuites: bookworm\nComponents: main\n",
			[]source{{"https://a.example/debian", "stable", []string{"main", "non-free"}}, {"https://b.example/debian", "stable", []string{"main", "non-free"}}}},
		{"embedded key", "x.sources", "Types: deb\nURIs: http://mirror.example/debian\nSuites: bookworm\nComponents: main\nSigned-By:\n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n URIs: none\n -----END PGP PUBLIC KEY BLOCK-----\n",
			[]source{{"http://mirror.example/debian", "bookworm", []string{"main"}}}},
		{"empty", "x.sources", "", nil},
		{"noise", "x.sources", " continued\nno field\n:\n", nil},
	} {
		if got := parseSources(c.file, c.text); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func TestDebianMirrors(t *testing.T) {
	main := func(uri, suite string) source { return source{uri, suite, []string{"main"}} }
	for _, c := range []struct {
		name    string
		sources []source
		want    []mirror
	}{
		{"as installed", []source{main("http://m.example/debian", "bookworm"), main("http://m.example/debian", "bookworm-updates"), main("http://s.example/debian-security", "bookworm-security")},
			[]mirror{{"http://m.example/debian", "http://s.example/debian-security"}}},
		{"no security source", []source{main("http://m.example/debian/", "bookworm")}, []mirror{{"http://m.example/debian", "http://m.example/debian-security"}}},
		{"mirror list of a cloud image", []source{main("mirror+file:///etc/apt/mirrors/debian.list", "bookworm"), main("mirror+file:///etc/apt/mirrors/debian-security.list", "bookworm-security")},
			[]mirror{{"mirror+file:///etc/apt/mirrors/debian.list", "mirror+file:///etc/apt/mirrors/debian-security.list"}}},
		{"other vendors", []source{main("https://vendor.example/node", "nodistro"), {"https://vendor.example/linux/debian", "bookworm", []string{"stable"}}, main("https://cache.example/debian-remote", "bookworm"), main("https://m.example/debian", "bookworm")},
			[]mirror{{"https://m.example/debian", "https://m.example/debian-security"}, {"https://cache.example/debian-remote", "https://cache.example/debian-remote-security"}}},
		{"suite by its role", []source{main("https://m.example/debian", "stable"), main("https://m.example/debian", "stable")}, []mirror{{"https://m.example/debian", "https://m.example/debian-security"}}},
		{"installation medium", []source{main("cdrom:[Debian 12]/", "bookworm")}, nil},
		{"none", nil, nil},
	} {
		if got := debianMirrors(c.sources, "bookworm"); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func FuzzParseSources(f *testing.F) {
	f.Add("x.list", "deb [a=b] http://m.example/debian bookworm main\n")
	f.Add("x.sources", "Types: deb\nURIs: http://m.example/debian\nSuites: bookworm\nComponents: main\n\n\n :")
	f.Fuzz(func(t *testing.T, name, text string) {
		for _, s := range parseSources(name, text) {
			if s.uri == "" || s.suite == "" || strings.ContainsAny(s.uri+s.suite, " \t\n") {
				t.Errorf("%q gives %+v", text, s)
			}
		}
	})
}
