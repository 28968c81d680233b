package llm

import "strings"

// thinkTags are the ways in which models write reasoning into their content:
// what opens it and what closes it.
var thinkTags = map[string]string{
	"<think>":                        "</think>",
	"<thinking>":                     "</thinking>",
	"<thought>":                      "</thought>",
	"<reasoning>":                    "</reasoning>",
	"[THINK]":                        "[/THINK]",
	"◁think▷":                        "◁/think▷",
	"<|START_THINKING|>":             "<|END_THINKING|>",
	"<|channel|>analysis<|message|>": "<|end|>",
}

// thinkMarkers are the tags that change something when they turn up outside of
// reasoning: all that open it, and those that may close it without having
// opened, because the server or the prompt's template opened it.
var thinkMarkers = func() []string {
	markers := []string{"</think>", "</thinking>", "[/THINK]", "◁/think▷", "<|END_THINKING|>"}
	for open := range thinkTags {
		markers = append(markers, open)
	}
	return markers
}()

// span is a piece of a reply: answer text, or thinking. With retract it is the
// last of a text which turned out to be thinking, all of it so far.
type span struct {
	text     string
	thinking bool
	retract  bool
}

// thinkSplitter tells reasoning that stands in tags from the answer around it,
// while both stream. A tag may be cut anywhere between two writes. Tags in code
// are text. The first closing tag of a reply that nothing opened ends reasoning
// that the prompt's template opened: what came before it is retracted, and
// loneCloser tells that the next reply of this model will begin like that. In a
// reply that shows its reasoning in another way such a tag is only dropped.
type thinkSplitter struct {
	code    codeTracker
	closer  string // what ends the open reasoning; empty outside of it
	pending string // could become a tag
	trim    bool   // the answer hasn't begun since reasoning ended

	preopened bool            // the template opened the reasoning: expect a closing tag only
	assumed   strings.Builder // reasoning that is one only if that closing tag comes

	begun      bool // some answer text that isn't white space is out
	apart      bool // reasoning was there, in tags of its own or beside the content
	loneCloser bool
}

// newThinkSplitter begins a reply. With preopened the reply is taken to begin
// inside of reasoning; if nothing closes it, flush gives all of it as text.
func newThinkSplitter(preopened bool) *thinkSplitter {
	return &thinkSplitter{code: newCodeTracker(), preopened: preopened}
}

// write takes the next piece of content and gives what it settles, in order.
func (t *thinkSplitter) write(s string) []span { return t.split(s, false) }

// flush ends the reply and gives what was held back. answered tells that the
// reply came to an end with which its model was done.
func (t *thinkSplitter) flush(answered bool) []span {
	out := t.split("", true)
	if t.preopened && t.assumed.Len() > 0 && answered {
		out = append(out, span{text: t.assumed.String()})
		t.begun = true
	}
	return out
}

func (t *thinkSplitter) split(s string, final bool) (out []span) {
	s = t.pending + s
	t.pending = ""
	for s != "" {
		var piece span
		if t.preopened {
			piece, s = t.assume(s, final)
		} else if t.closer != "" {
			piece, s = t.reason(s, final)
		} else {
			piece, s = t.answer(s, final)
		}
		if piece.text != "" || piece.retract {
			out = append(out, piece)
		}
	}
	return out
}

// assume takes text that is reasoning if a closing tag follows.
func (t *thinkSplitter) assume(s string, final bool) (span, string) {
	if t.assumed.Len() == 0 {
		rest := strings.TrimLeft(s, " \t\r\n")
		tag, partial := prefixOf(rest, thinkMarkers)
		switch {
		case partial && !final:
			t.pending = s
			return span{}, ""
		case tag != "":
			t.preopened = false
			return span{}, rest
		}
	}
	at, closer := len(s), ""
	for _, tag := range [...]string{"</think>", "</thinking>", "[/THINK]"} {
		if i := strings.Index(s, tag); i >= 0 && i < at {
			at, closer = i, tag
		}
	}
	if closer != "" {
		t.preopened, t.trim, t.loneCloser, t.apart = false, true, true, true
		return span{text: s[:at], thinking: true}, s[at+len(closer):]
	}
	keep := 0
	if !final {
		keep = max(heldBack(s, "</think>"), heldBack(s, "</thinking>"), heldBack(s, "[/THINK]"))
	}
	t.pending = s[len(s)-keep:]
	t.assumed.WriteString(s[:len(s)-keep])
	return span{text: s[:len(s)-keep], thinking: true}, ""
}

// reason takes text up to the tag that closes the open reasoning.
func (t *thinkSplitter) reason(s string, final bool) (span, string) {
	if before, after, found := strings.Cut(s, t.closer); found {
		t.closer, t.trim = "", !t.begun
		return span{text: before, thinking: true}, after
	}
	keep := 0
	if !final {
		keep = heldBack(s, t.closer)
	}
	t.pending = s[len(s)-keep:]
	return span{text: s[:len(s)-keep], thinking: true}, ""
}

// answer takes text up to the next tag.
func (t *thinkSplitter) answer(s string, final bool) (span, string) {
	for i := range len(s) {
		if !beginsThinkMarker(s[i]) || t.code.inCode() {
			t.code.next(s[i])
			continue
		}
		tag, partial := prefixOf(s[i:], thinkMarkers)
		if partial && !final {
			t.pending = s[i:]
			return t.text(s[:i]), ""
		}
		if tag == "" {
			t.code.next(s[i])
			continue
		}
		piece := t.text(s[:i])
		t.closer = thinkTags[tag]
		switch {
		case t.closer == "" && t.begun && !t.apart:
			piece.retract, t.loneCloser = true, true
			t.begun, t.trim, t.code = false, true, newCodeTracker()
		case t.closer == "":
			t.trim = !t.begun
		}
		t.apart = true
		return piece, s[i+len(tag):]
	}
	return t.text(s), ""
}

// text makes a piece of the answer. Blank lines between reasoning and the
// answer's first word belong to neither.
func (t *thinkSplitter) text(s string) span {
	if t.trim {
		s = strings.TrimLeft(s, "\r\n")
		t.trim = s == ""
	}
	t.begun = t.begun || strings.TrimSpace(s) != ""
	return span{text: s}
}

func beginsThinkMarker(b byte) bool { return b == '<' || b == '[' || b == "◁"[0] }

// separate tells that reasoning arrives apart from the content, so that the
// content needn't be taken for it.
func (t *thinkSplitter) separate() {
	t.apart, t.trim = true, !t.begun
	if t.assumed.Len() == 0 && t.closer == "" {
		t.preopened = false
	}
}
