package chat

import (
	"slices"
	"testing"

	"bor/internal/llm"
	"bor/internal/testkit"
)

// Reasoning that looked like an answer leaves no panel and no fence behind, except
// what a tool had shown before; live, stored and read again the turn is the same
// (REL1).
func TestPipelineRetractsThinking(t *testing.T) {
	h := newHouse(t)
	s := serve(t, h.db, "p1", h.pipe, Limits{})
	fence := func(path string) string { return "```bor homelab/" + path + "\ntyped\n```\n\n" }
	followed := make(chan struct{}) // closed when somebody hears all of it
	h.model.Queue(
		testkit.Step{Parts: []testkit.Part{testkit.Gate(followed)}}.With(testkit.Part{Text: "First:\n\n" + fence("dns.md")}, testkit.Part{Call: &llm.ToolCall{ID: "a", Name: "show_text", Arguments: `{"path":"homelab/quadlets/gufo.container"}`}}),
		testkit.Say("Hm, ", fence("backup.md"), fence("quadlets/gufo.container"), fence("dns.md"), "no: ", "that.\n</think>\n\n", "Here:\n\n", fence("quadlets/gufo.container"), fence("dns.md")),
	)
	turn := start(t, s, 0, "a", show)
	follower, err := s.Follow(t.Context(), reese, turn.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer follower.Close()
	close(followed)
	rec, events := drainInto(t, follower)
	text := "First:\n\n" + fence("dns.md") + "Here:\n\n" + fence("quadlets/gufo.container") + fence("dns.md")
	thought := "Hm, " + fence("backup.md") + fence("quadlets/gufo.container") + fence("dns.md") + "no: that.\n"
	if rec.State != Done || rec.Text != text || len(rec.Trace) != 2 || rec.Trace[1].Thinking != thought {
		t.Errorf("the record is %+v", rec)
	}
	var locators, blocks []string
	for _, f := range rec.Fences {
		locators = append(locators, f.Locator)
	}
	for _, b := range rec.AnswerText {
		blocks = append(blocks, b.Locator)
	}
	if want := []string{"homelab/dns.md", "homelab/quadlets/gufo.container"}; !slices.Equal(blocks, want) || !slices.Equal(locators, append(want, "homelab/dns.md")) {
		t.Errorf("fences %q, blocks %q", locators, blocks)
	}
	told := Record{Who: "brain", State: Running}
	for _, e := range events[:len(events)-1] {
		told.Apply(e)
	}
	told.State, told.Sources = rec.State, rec.Sources
	if d := diff(rec, told); d != "" {
		t.Errorf("the events tell another story than the record: %s", d)
	}
	if again := h.model.Chats()[1].Messages; again[2].Content != "First:\n\n"+fence("dns.md") {
		t.Errorf("the model got back %+v", again[2])
	}
	// The next reply of this model is known to begin inside of its thinking.
	h.model.Queue(testkit.Say("Hm.", "</think>", "Yes."))
	rec, events = readAll(t, s, start(t, s, turn.Conversation, "b", show).ID)
	if rec.Text != "Yes." || rec.Trace[0].Thinking != "Hm." || slices.ContainsFunc(events, func(e Event) bool { return e.Kind == KindRetract }) {
		t.Errorf("%+v", rec)
	}
}
