package turnview

import (
	"strings"
	"testing"

	"bor/internal/chat"
)

// An answer that may lack its end says so under its text, live and from the record.
func TestAnIncompleteAnswerSaysSo(t *testing.T) {
	for why, words := range map[chat.Incomplete]string{
		chat.CutByLength: "length limit", chat.CutByFilter: "content filter", chat.NoEnd: "may be missing", "": "", "unheard of": "",
	} {
		turn := running()
		live := NewLive(turn, Options{AnswerText: true})
		live.Apply(chat.Event{Kind: chat.KindDelta, Text: "The port is"})
		record := chat.Record{Who: "brain", State: chat.Done, Text: "The port is", Incomplete: why}
		live.Apply(chat.Event{Kind: chat.KindDone, Record: &record})
		p := newPage(t, Bubble(turn, Options{AnswerText: true}))
		p.take(live.Final())
		live.Close()
		turn.State, turn.Record = chat.Done, record
		for how, html := range map[string]string{"live": p.bubble(turn.ID), "restored": whole(t, Bubble(turn, Options{AnswerText: true}))} {
			if words == "" && strings.Contains(html, `class="ended"`) || !strings.Contains(html, words) {
				t.Errorf("%q, %s: %s", why, how, html)
			}
		}
		if said := p.text("announce"); !strings.Contains(said, words) || words == "" && said != "The answer is complete." {
			t.Errorf("%q: %q is announced", why, said)
		}
	}
}
