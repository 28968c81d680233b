package ingest

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"slices"
	"strings"
	"testing"

	"bor/internal/picture"
)

// pngOf is an image of one colour, followed by what is no part of it.
func pngOf(t *testing.T, shade uint8) string {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, 6, 4))
	for i := range img.Pix {
		img.Pix[i] = color.Gray{Y: shade}.Y
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.String() + "taken at home"
}

// withImages makes the importer of a process with BOR_ANSWER_IMAGES on, or off.
func (b *bench) withImages(on bool) *bench {
	b.Importer = b.importer()
	b.Scope.Images = on
	return b
}

// images are the image documents with what is found of them.
func (b *bench) images() []string {
	b.t.Helper()
	return b.rows(`SELECT d.path || '|' || d.title || '|' || d.summary || '|' || i.media_type || ' ' || i.width || 'x' || i.height || '|' ||
			(SELECT string_agg(c.position || ' ' || c.start_line || '-' || c.end_line || ' ' || c.content, '; ') FROM chunks c WHERE c.document_id = d.id)
		FROM documents d JOIN images i ON i.sha256 = d.image_sha256 WHERE d.kind = 'image' AND d.content = '' ORDER BY d.path COLLATE "C"`)
}

func (b *bench) wantImages(want ...string) {
	b.t.Helper()
	if got := b.images(); !slices.Equal(got, want) {
		b.t.Errorf("images:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestImagesAreFoundByTheTextAroundTheirLinks(t *testing.T) {
	t.Parallel()
	b := newBench(t).withImages(true)
	b.write("img/rack.png", pngOf(t, 1))
	b.write("img/lonely.png", pngOf(t, 2))
	b.write("img/broken.jpg", "no image")
	b.write("img/wrong.gif", pngOf(t, 3))
	b.write("img/drawing.svg", "<svg/>")
	b.write("notes/net.md", "# Network\n\nThe rack in the cellar holds two switches, see ![Plan of the rack](../img/rack.png) for the cables.\n")
	report := b.run(Options{}, "added=3 updated=0 unchanged=0 pruned=0 skipped=2")
	caption := "Network\nThe rack in the cellar holds two switches, see Plan of the rack for the cables."
	b.wantImages("img/lonely.png|lonely||image/png 6x4|-1 0-0 lonely",
		"img/rack.png|Plan of the rack|"+caption+"|image/png 6x4|-1 0-0 "+caption)
	if got := b.rows("SELECT path, reason FROM skipped_files ORDER BY path"); len(got) != 2 || !strings.HasPrefix(got[0], "img/broken.jpg the file is not an image") ||
		!strings.Contains(got[1], "the content is image/png") {
		t.Errorf("skipped: %q", got)
	}
	if report.Formats["png"] != 2 {
		t.Errorf("formats %v", report.Formats)
	}
	if info, err := picture.Check([]byte(stored(t, b, "img/rack.png"))); err != nil || info.Metadata || info.Width != 6 {
		t.Errorf("stored as %+v, %v", info, err)
	}

	// The link changes, the image doesn't; then it is linked a second time.
	b.write("notes/net.md", "# Network\n\nThe rack was moved to the attic, where ![](../img/rack.png) still holds true today.\n")
	b.run(Options{}, "added=0 updated=1 unchanged=2")
	caption = "Network\nThe rack was moved to the attic, where still holds true today."
	b.wantImages("img/lonely.png|lonely||image/png 6x4|-1 0-0 lonely", "img/rack.png|rack|"+caption+"|image/png 6x4|-1 0-0 "+caption)
	b.write("README.markdown", "[the rack](img/rack.png)\n\n![](img/../img/lonely.png?raw=1#x) ![](/img/lonely.png) ![](../img/lonely.png) ![](https://x/img/lonely.png)\n")
	b.run(Options{}, "added=1 updated=0")
	if got := b.images(); !strings.HasPrefix(got[1], "img/rack.png|the rack|the rack\nNetwork") || !strings.HasPrefix(got[0], "img/lonely.png|lonely|the rack|") {
		t.Errorf("%q", got)
	}
	// Nothing changes: nothing is embedded.
	before := b.model.texts
	b.run(Options{}, "added=0 updated=0 unchanged=4")
	if b.model.texts != before+1 { // the check of the dimension
		t.Errorf("%d texts embedded", b.model.texts-before)
	}
}

// stored are an image's bytes in the database.
func stored(t *testing.T, b *bench, path string) string {
	t.Helper()
	var content []byte
	if err := b.db.Pool.QueryRow(t.Context(), "SELECT i.bytes FROM documents d JOIN images i ON i.sha256 = d.image_sha256 WHERE d.path = $1", path).Scan(&content); err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestImagesMoveAndChange(t *testing.T) {
	t.Parallel()
	b := newBench(t).withImages(true)
	b.write("a.png", pngOf(t, 1))
	b.write("a.md", "![First](a.png)\n")
	b.run(Options{Prune: true}, "added=2")
	id := b.rows("SELECT id FROM documents WHERE path = 'a.png'")
	b.move("a.png", "sub/b.png")
	b.run(Options{Prune: true}, "added=0 updated=1 unchanged=1 pruned=0")
	if got := b.rows("SELECT id FROM documents WHERE path = 'sub/b.png'"); !slices.Equal(got, id) {
		t.Errorf("the moved image has the id %v, not %v", got, id)
	}
	b.wantImages("sub/b.png|b||image/png 6x4|-1 0-0 b")
	b.write("copy.png", pngOf(t, 1))
	b.write("sub/b.png", pngOf(t, 9))
	b.run(Options{Prune: true}, "added=1 updated=1")
	if got := b.rows("SELECT count(*), count(unused_since) FROM images"); got[0] != "2 0" {
		t.Errorf("images kept: %v", got)
	}
}

func TestSwitchingImagesOffAndOn(t *testing.T) {
	t.Parallel()
	b := newBench(t).withImages(false)
	b.write("a.png", pngOf(t, 1))
	b.write("a.md", "![First](a.png)\n")
	b.run(Options{Prune: true}, "added=1 updated=0 unchanged=0 pruned=0 skipped=0")
	b.withImages(true).run(Options{Prune: true}, "added=1 updated=0 unchanged=1")
	b.withImages(false).run(Options{}, "added=0 updated=0 unchanged=1 pruned=0")
	b.withImages(false).run(Options{Prune: true}, "pruned=1")
	b.wantImages()
}

// An image goes when neither a document nor a record shows it, and not before.
func TestImagesStayWhileSomethingShowsThem(t *testing.T) {
	t.Parallel()
	b := newBench(t).withImages(true)
	for i := range 4 {
		b.write(fmt.Sprintf("%d.png", i), pngOf(t, uint8(i)))
	}
	b.run(Options{}, "added=4")
	sums := b.rows("SELECT encode(image_sha256, 'hex') FROM documents ORDER BY path")
	exec := func(sql string, args ...any) {
		t.Helper()
		if _, err := b.db.Pool.Exec(t.Context(), sql, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec("INSERT INTO conversations (visitor, principal) VALUES ('v', 'admin')")
	turn := `INSERT INTO turns (conversation_id, submit_id, question, state, owner, lease_until, record) VALUES (1, $1, 'q', $2, 'o', now(), $3)`
	exec(turn, "1", "done", `{"answer_image": [{"sha256": "`+sums[0]+`"}, {"sha256": "no hash"}, 7]}`)
	exec(turn, "2", "done", `{"answer_image": "no list"}`)
	exec(turn, "3", "running", nil)
	exec(`INSERT INTO turn_events VALUES (3, 1, 'tool_result', $1)`, `{"tool": {"name": "show_image", "image": {"sha256": "`+sums[1]+`"}}}`)
	for i := range 3 { // 3.png keeps its document
		b.remove(fmt.Sprintf("%d.png", i))
	}
	b.run(Options{Prune: true}, "pruned=3")
	kept := func(want ...string) {
		t.Helper()
		slices.Sort(want)
		if got := b.rows("SELECT encode(sha256, 'hex') FROM images ORDER BY 1"); !slices.Equal(got, want) {
			t.Errorf("kept %v, want %v", got, want)
		}
	}
	kept(slices.Clone(sums)...) // for an hour
	exec("UPDATE images SET unused_since = unused_since - interval '2 hours'")
	b.write("new.md", "x")
	b.run(Options{}, "added=1")
	kept(sums[0], sums[1], sums[3])
	exec("DELETE FROM conversations")
	b.write("new.md", "y")
	b.run(Options{}, "updated=1")
	exec("UPDATE images SET unused_since = unused_since - interval '2 hours'")
	b.write("0.png", pngOf(t, 0)) // and one comes back in time
	b.run(Options{}, "added=1")
	kept(sums[0], sums[3])
	if got := b.rows("SELECT count(*) FROM images WHERE unused_since IS NOT NULL"); got[0] != "0" {
		t.Errorf("%s images in use are marked as unused", got[0])
	}
}
