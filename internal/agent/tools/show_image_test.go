package tools

import (
	"fmt"
	"strings"
	"testing"

	"bor/internal/agent"
	"bor/internal/kb"
	"bor/internal/verbatim"
)

// picture is an image document that kbtest.Add gives bytes.
func picture(identity, title, about string) kb.Document {
	d := doc(identity, "")
	d.Kind, d.Title, d.Summary = kb.KindImage, title, about
	d.Image = kb.Image{Type: "image/png", Width: 640, Height: 480}
	return d
}

func TestShowImage(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t, picture("s/img/rack.png", "The rack", "Two switches."), picture("s/b.png", "b", ""), doc("s/net.md", "text"))
	tool := newShowImage(store)
	got := call(t, tool, "{\"path\":\"`s/img/rack.png` \"}")
	if want := "The user sees the image s/img/rack.png below your answer, with the caption \"The rack\". You can't see it. The text around the links to it:\nTwo switches.\n"; got.Text != want {
		t.Errorf("%q", got.Text)
	}
	image := got.Image
	if image == nil || len(image.SHA256) != 64 || got.Note != "640 × 480" || got.Read != nil || got.Card != nil {
		t.Fatalf("%+v", got)
	}
	image.SHA256 = ""
	if want := (agent.Image{Source: "s", Path: "img/rack.png", Title: "The rack", Type: "image/png", Width: 640, Height: 480}); *image != want {
		t.Errorf("%+v", image)
	}
	if got := call(t, tool, `{"path":"s/b.png"}`); !strings.Contains(got.Text, "Nothing is written about it.") {
		t.Errorf("%q", got.Text)
	}
	for arguments, want := range map[string]string{
		`{"path":"s/img/rack.png"}`: "already sees",
		`{"path":"s/net.md"}`:       "use show_text",
		`{"path":"img/rack.png"}`:   "The closest: s/img/rack.png",
		`{"path":""}`:               "No path was given",
		`{}`:                        `"path" is missing`,
	} {
		if got := refused(t, tool, arguments); !strings.Contains(got, want) {
			t.Errorf("%s: %s", arguments, got)
		}
	}
}

func TestShowImageStopsAtItsLimit(t *testing.T) {
	t.Parallel()
	var docs []kb.Document
	for i := range 6 {
		docs = append(docs, picture(fmt.Sprintf("s/%d.png", i), "x", ""))
	}
	unread := picture("s/unread.png", "x", "")
	unread.Image = kb.Image{}
	store, _ := newStore(t, append(docs, unread)...)
	tool := newShowImage(store)
	if got := refused(t, tool, `{"path":"s/unread.png"}`); !strings.Contains(got, "next import") {
		t.Error(got)
	}
	for i := range 5 {
		call(t, tool, fmt.Sprintf(`{"path":"s/%d.png"}`, i))
	}
	if got := refused(t, tool, `{"path":"s/5.png"}`); !strings.Contains(got, "already shows 5 images") {
		t.Error(got)
	}
}

func TestOtherToolsRefuseImages(t *testing.T) {
	t.Parallel()
	store, _ := newStore(t, picture("s/a.png", "A", "about it"))
	for on, want := range map[bool]string{true: "Show it with show_image.", false: "Name it in your answer instead."} {
		answer := verbatim.Resolver{Store: store, ShowImage: on}.Answer(false)
		if got := refused(t, showText{answer}, `{"path":"s/a.png"}`); !strings.Contains(got, want) {
			t.Errorf("images %v: %s", on, got)
		}
	}
	if got := refused(t, newRead(store, noLang, 0, nil), `{"path":"s/a.png"}`); !strings.Contains(got, "no text to read") {
		t.Error(got)
	}
	if got := refused(t, grep{store}, `{"pattern":"abc","path":"s/a.png"}`); !strings.Contains(got, "no text to search") {
		t.Error(got)
	}
	if got := call(t, list{store}, `{"path":"s"}`).Text; got != "source: s | path: a.png | title: A\n" {
		t.Errorf("ls: %q", got)
	}
}
