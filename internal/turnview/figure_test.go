package turnview

import (
	"slices"
	"testing"

	"bor/internal/agent"
	"bor/internal/chat"
	"bor/views"
)

// Figures stand below the answer, from the record alone; a record may say anything.
func TestFigures(t *testing.T) {
	rec := chat.Record{State: chat.Done, AnswerImage: []agent.Image{
		{Source: "s", Path: "a b.png", Title: "A", Width: 640, Height: 480}, {Source: "s", Path: "c.png", Width: -1, Height: 1 << 40}, {},
	}}
	p := Bubble(finished(rec), options)
	want := []views.Figure{
		{URL: "/chat/turns/12/images/0", Caption: "A", Width: 640, Height: 480, OpenURL: "/document?source=s&path=a+b.png"},
		{URL: "/chat/turns/12/images/1", Caption: "s/c.png", OpenURL: "/document?source=s&path=c.png"},
		{URL: "/chat/turns/12/images/2", Caption: "/", OpenURL: "/document?source=&path="},
	}
	if !slices.Equal(p.Figures, want) {
		t.Errorf("%+v", p.Figures)
	}
	if p.AnswerURL == "" {
		t.Error("an answer of figures alone can't be copied")
	}
	rec.State = chat.Running
	if p := Bubble(finished(rec), options); len(p.Figures) != 0 {
		t.Error("figures stand below an answer that isn't finished")
	}
}
