package llm

import (
	"strings"
	"unicode/utf8"
)

// scaffoldSpans are markers whose whole span is scaffolding, up to and with
// what closes it: tool calls that a server failed to parse. What never closes
// is dropped to the reply's end.
var scaffoldSpans = map[string]string{
	"<tool_call>":                  "</tool_call>",
	"<tool_calls>":                 "</tool_calls>",
	"<tool_response>":              "</tool_response>",
	"<function_call>":              "</function_call>",
	"<function=":                   "</function>",
	"[TOOL_CALLS]":                 "\n",
	"[TOOL_RESULTS]":               "[/TOOL_RESULTS]",
	"<|tool_call|>":                "<|/tool_call|>",
	"<|tool_call_start|>":          "<|tool_call_end|>",
	"<|tool_call_begin|>":          "<|tool_call_end|>",
	"<|tool_calls_section_begin|>": "<|tool_calls_section_end|>",
	"<|tool_response_start|>":      "<|tool_response_end|>",
	"<|python_tag|>":               "<|eom_id|>",
	"<|START_ACTION|>":             "<|END_ACTION|>",
	"<|channel|>commentary to=":    "<|call|>",
	"<｜tool▁calls▁begin｜>":         "<｜tool▁calls▁end｜>",
	"<｜tool▁call▁begin｜>":          "<｜tool▁call▁end｜>",
}

// scaffoldHeaders are markers that a role's name and a line end may follow.
var scaffoldHeaders = map[string]bool{
	"<|im_start|>": true, "<|start_header_id|>": true, "<|start|>": true,
	"<|channel|>": true, "<start_of_turn>": true,
}

// scaffoldRoles are the names that follow such a marker.
var scaffoldRoles = []string{
	"system", "user", "assistant", "tool", "model", "developer", "function", "ipython",
	"environment", "analysis", "commentary", "final",
}

// scaffoldMarkers are the markers that aren't of the shape <|name|>.
var scaffoldMarkers = func() []string {
	markers := []string{
		"<start_of_turn>", "<end_of_turn>", "</tool_call>", "</tool_calls>", "</function_call>",
		"[INST]", "[/INST]", "[/TOOL_RESULTS]", "<<SYS>>", "<</SYS>>", endOfText,
	}
	for open := range scaffoldSpans {
		markers = append(markers, open)
	}
	return markers
}()

// endOfText is scaffolding only where the reply ends: elsewhere it is HTML.
const endOfText = "</s>"

// maxMarker is the length in bytes above which <|…|> is text.
const maxMarker = 64

// scaffoldFilter removes chat-template markup that leaks into a reply's text,
// while it streams. Which bytes go depends on the text alone, never on how it
// was cut into writes. In code, markup is text, unless it ends the reply.
type scaffoldFilter struct {
	code    codeTracker
	pending string // could become a marker
	closer  string // what ends the open span; empty outside of one
	header  bool   // right after a marker that a role's name may follow
	tail    string // markers that are dropped only if the reply ends here, and white space after them
	tails   int    // their number
	begun   bool   // some text is out
	removed int
	out     strings.Builder
}

func newScaffoldFilter() *scaffoldFilter { return &scaffoldFilter{code: newCodeTracker()} }

// write takes the next piece of text and gives what of it is settled.
func (f *scaffoldFilter) write(s string) string { return f.filter(s, false) }

// flush ends the reply and gives what was held back.
func (f *scaffoldFilter) flush() string {
	text := f.filter("", true)
	f.removed += f.tails
	f.tail, f.tails = "", 0
	return text
}

func (f *scaffoldFilter) filter(s string, final bool) string {
	f.out.Reset()
	s = f.pending + s
	f.pending = ""
	for s != "" {
		n := f.step(s, final)
		if n == 0 {
			f.pending = s
			break
		}
		s = s[n:]
	}
	return f.out.String()
}

// step settles the first bytes of s and returns their number; 0 asks for more.
func (f *scaffoldFilter) step(s string, final bool) int {
	switch {
	case f.closer != "":
		return f.skipSpan(s, final)
	case f.header:
		return f.skipHeader(s, final)
	case s[0] != '<' && s[0] != '[':
		f.text(s[:1])
		return 1
	}
	marker, partial := scaffoldPrefix(s)
	switch {
	case partial && !final:
		return 0
	case marker == "":
		f.text(s[:1])
		return 1
	case f.code.inCode() || marker == endOfText:
		f.follow(marker)
		f.tail += marker
		f.tails++
	default:
		f.removed++
		f.closer, f.header = scaffoldSpans[marker], scaffoldHeaders[marker]
	}
	return len(marker)
}

// skipSpan drops the open span as far as s shows it.
func (f *scaffoldFilter) skipSpan(s string, final bool) int {
	if i := strings.Index(s, f.closer); i >= 0 {
		n := i + len(f.closer)
		f.closer = ""
		return n
	}
	if final {
		return len(s)
	}
	return len(s) - heldBack(s, f.closer)
}

// skipHeader drops a role's name and one line end, each if it is there.
func (f *scaffoldFilter) skipHeader(s string, final bool) int {
	n := 0
	for n < len(s) && 'a' <= s[n] && s[n] <= 'z' {
		n++
	}
	if n == len(s) && !final {
		if _, partial := prefixOf(s, scaffoldRoles); partial || isRole(s) {
			return 0
		}
	}
	if !isRole(s[:n]) {
		n = 0
	}
	f.header = false
	if strings.HasPrefix(s[n:], "\n") {
		n++
	}
	if n == 0 {
		return f.step(s, final)
	}
	return n
}

func isRole(s string) bool {
	role, _ := prefixOf(s, scaffoldRoles)
	return role != "" && role == s
}

// text lets one byte through, behind what the tail held back.
func (f *scaffoldFilter) text(s string) {
	space := s == " " || s == "\n" || s == "\t" || s == "\r"
	f.follow(s)
	switch {
	case f.tail != "" && space:
		f.tail += s
		return
	case !f.begun && f.removed > 0 && (s == "\n" || s == "\r"):
		return
	}
	f.out.WriteString(f.tail)
	f.out.WriteString(s)
	f.tail, f.tails = "", 0
	f.begun = f.begun || !space
}

func (f *scaffoldFilter) follow(s string) {
	for i := range len(s) {
		f.code.next(s[i])
	}
}

// scaffoldPrefix is prefixOf for every kind of marker.
func scaffoldPrefix(s string) (marker string, partial bool) {
	marker, partial = prefixOf(s, scaffoldMarkers)
	special, more := specialToken(s, "<|", "|>")
	if special == "" && !more {
		special, more = specialToken(s, "<｜", "｜>")
	}
	if len(special) > len(marker) {
		marker = special
	}
	return marker, partial || more
}

// specialToken finds a token such as <|im_end|> at the start of s: a name
// between two marks, without white space.
func specialToken(s, open, end string) (token string, partial bool) {
	if len(s) < len(open) {
		return "", strings.HasPrefix(open, s)
	}
	if !strings.HasPrefix(s, open) {
		return "", false
	}
	for i := len(open); i < len(s) && i < maxMarker; {
		if strings.HasPrefix(s[i:], end) {
			if i == len(open) {
				return "", false
			}
			return s[:i+len(end)], false
		}
		if strings.HasPrefix(end, s[i:]) {
			return "", true
		}
		if !utf8.FullRuneInString(s[i:]) {
			return "", true
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError || r <= ' ' || r == '<' || r == '>' || r == '|' {
			return "", false
		}
		i += size
	}
	return "", len(s) < maxMarker
}
