package source

import (
	"slices"
	"strings"
	"testing"
)

func TestParseExtensions(t *testing.T) {
	tests := []struct {
		in          string
		exts, names []string
	}{
		{"md", []string{"md"}, nil},
		{" .MD , txt,md ", []string{"md", "txt"}, nil},
		{"Dockerfile,md,makefile", []string{"md"}, []string{"Dockerfile", "Makefile"}},
		{"Snakefile", nil, []string{"Snakefile"}},
		{".dockerfile", []string{"dockerfile"}, nil},
		{"d.ts,c++,h_1,tar.gz", []string{"d.ts", "c++", "h_1", "tar.gz"}, nil},
	}
	for _, tt := range tests {
		exts, names, err := ParseExtensions(tt.in)
		if err != nil || !slices.Equal(exts, tt.exts) || !slices.Equal(names, tt.names) {
			t.Errorf("ParseExtensions(%q) = %q, %q, %v; want %q, %q", tt.in, exts, names, err, tt.exts, tt.names)
		}
	}
}

func TestParseExtensionsRefuses(t *testing.T) {
	for _, in := range []string{
		"", "  ", ",", "md,,txt", "md,", "*.md", "md txt", "md;txt", "a/b", "..md", "md.", "-x", "größe", "md\x00",
		strings.Repeat("a", 41), strings.Repeat("A", 40) + "file",
	} {
		exts, names, err := ParseExtensions(in)
		if err == nil {
			t.Errorf("ParseExtensions(%q) = %q, %q; want an error", in, exts, names)
			continue
		}
		for entry := range strings.SplitSeq(in, ",") {
			if quoted := strings.Trim(entry, " "); !strings.ContainsAny(quoted, "\x00ö") && !strings.Contains(err.Error(), quoted) {
				t.Errorf("ParseExtensions(%q): the error %q does not name the value", in, err)
			}
		}
	}
}

func TestDefaultExtensions(t *testing.T) {
	exts, names, err := ParseExtensions(DefaultExtensions)
	if err != nil || len(names) != 0 {
		t.Fatalf("ParseExtensions(DefaultExtensions) = %q, %q, %v", exts, names, err)
	}
	for _, want := range strings.Fields(`md markdown txt yaml yml json py j2 container network volume image pod kube
		swap os endpoint sh conf ini toml service timer socket env`) {
		if !slices.Contains(exts, want) {
			t.Errorf("the default extensions lack %q", want)
		}
	}
	if len(exts) != 25 {
		t.Errorf("there are %d default extensions, want 25: %q", len(exts), exts)
	}
}

func TestWanted(t *testing.T) {
	r := Scope{Extensions: []string{"md", "d.ts"}, Names: []string{"Dockerfile"}, Images: true}.Filter()
	tests := []struct {
		name          string
		wanted, image bool
	}{
		{"a.md", true, false},
		{"A.MD", true, false},
		{"a.b.md", true, false},
		{"a.md.bak", false, false},
		{"md", false, false},
		{"x.d.ts", true, false},
		{"x.ts", false, false},
		{"Dockerfile", true, false},
		{"dockerfile", true, false},
		{"Dockerfile.old", false, false},
		{"logo.PNG", true, true},
		{"logo.webp", true, true},
		{"logo.svg", false, false},
		{"", false, false},
	}
	for _, tt := range tests {
		if wanted, image := r.wanted(tt.name); wanted != tt.wanted || image != tt.image {
			t.Errorf("wanted(%q) = %v, %v; want %v, %v", tt.name, wanted, image, tt.wanted, tt.image)
		}
	}
	if wanted, _ := (Scope{Extensions: []string{"md"}}).Filter().wanted("logo.png"); wanted {
		t.Error("an image is in scope although images are off")
	}
}

func TestIgnored(t *testing.T) {
	r := Scope{Ignore: []string{"old", "/abs/", "./dot/", "", " ", "a b/"}}.Filter()
	tests := map[string]bool{
		"old.md": true, "older/x.md": true, "old/": true, "new/old.md": false,
		"abs/x.md": true, "absolute.md": false, "dot/x": true, "a b/c.md": true, "x.md": false,
	}
	for path, want := range tests {
		if got := r.ignored(path); got != want {
			t.Errorf("ignored(%q) = %v, want %v", path, got, want)
		}
	}
}
