package archtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// rawHTML is what puts a string into a page as it is, with the files that may say
// it: views/rawhtml.go writes it out, and the others pass on what our own renderers
// made (SEC1).
var rawHTML = map[string][]string{
	"templ.Raw(":     {},
	"template.HTML(": {},
	"HTMLBlob(":      {"handlers/compress.go"},
	"SafeHTML(":      {"views/rawhtml.go", "handlers/document.go", "internal/turnview/bubble.go", "internal/turnview/card.go", "internal/turnview/panel.go"},
}

func TestRawHTMLEntersInFewPlaces(t *testing.T) {
	root := os.DirFS(filepath.Join("..", ".."))
	seen := map[string]bool{}
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (path == "data" || d.Name() == "node_modules" || d.Name() == ".git"):
			return fs.SkipDir
		case d.IsDir() || strings.HasSuffix(path, "_test.go") || filepath.Ext(path) != ".go" && filepath.Ext(path) != ".templ":
			return nil
		}
		text, err := fs.ReadFile(root, path)
		if err != nil {
			return err
		}
		for what, files := range rawHTML {
			if !strings.Contains(string(text), what) {
				continue
			}
			seen[what+path] = true
			if !slices.Contains(files, path) {
				t.Errorf("%s uses %s…): text has to be escaped on its way into a page", path, what)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for what, files := range rawHTML {
		for _, path := range files {
			if !seen[what+path] {
				t.Errorf("%s no longer uses %s…): take it out of the table", path, what)
			}
		}
	}
}
