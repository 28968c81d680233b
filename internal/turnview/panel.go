package turnview

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"bor/internal/chat"
	"bor/internal/markdown"
	"bor/internal/verbatim"
	"bor/views"
)

// panel is the n-th stored block of a turn as a verbatim panel (V8).
func panel(turn int64, n int, b verbatim.Block) views.Panel {
	p := views.Panel{
		Locator: b.Locator, Identity: b.Source + "/" + b.Path, Start: b.StartLine, End: b.EndLine, Total: b.TotalLines,
		Lines: codeLines(b.Text, b.Path, b.StartLine), SHA256: b.SHA256, Revision: b.Revision, Origin: b.Origin, Encoding: b.Encoding,
		OpenURL: documentURL(b.Source, b.Path, b.StartLine, b.EndLine), RawURL: turnURL(turn, fmt.Sprintf("blocks/%d", n)),
	}
	if b.StartLine <= 1 && b.EndLine >= b.TotalLines {
		p.OpenURL = documentURL(b.Source, b.Path, 0, 0)
	}
	if !b.Truncated {
		return p
	}
	p.WholeURL, p.WholeRawURL = documentURL(b.Source, b.Path, 0, 0), rawURL(b.Source, b.Path)
	p.CopyWhat = fmt.Sprintf("lines %d–%d of %d", b.StartLine, b.EndLine, b.TotalLines)
	p.Cut = "Cut here by the limit of characters for a block."
	switch {
	case b.LineChars > 0:
		p.Part = fmt.Sprintf("first %d of %d characters", utf8.RuneCountInString(b.Text), b.LineChars)
		p.CopyWhat = fmt.Sprintf("the %s of line %d", p.Part, b.StartLine)
	case b.AskedEnd == b.EndLine+1:
		p.Cut += fmt.Sprintf(" Line %d is not shown.", b.AskedEnd)
	case b.AskedEnd > b.EndLine:
		p.Cut += fmt.Sprintf(" Lines %d–%d are not shown.", b.EndLine+1, b.AskedEnd)
	}
	return p
}

// codeLines colours exact text and numbers its lines.
func codeLines(text, path string, first int) []views.CodeLine {
	var lines []views.CodeLine
	for i, html := range markdown.Code(text, markdown.Lang(path)) {
		lines = append(lines, views.CodeLine{Number: first + i, HTML: views.SafeHTML(html)})
	}
	return lines
}

// fences tells what stands in an answer's places for locator fences.
type fences struct {
	turn  int64
	rec   *chat.Record
	html  map[int]string // by fence; made once, they are long
	shown map[int]string // by fence: what the page has
}

// at is the HTML of the n-th fence: its panel or the honest state; ok is false
// while the turn runs and hasn't said yet which.
func (f *fences) at(n int, asked markdown.Fence) (html string, ok bool) {
	if n >= len(f.rec.Fences) && f.rec.State == chat.Running {
		return markdown.Waiting, false
	}
	if f.html[n] == "" {
		if i, notice := fate(f.rec, n, asked); i >= 0 {
			f.html[n] = render(views.VerbatimPanel(panel(f.turn, i, f.rec.AnswerText[i])))
		} else {
			f.html[n] = render(views.UnresolvedPanel(views.Unresolved{Asked: notice.Asked, Reason: notice.Reason, URL: fenceURL(notice)}))
		}
	}
	return f.html[n], true
}

// fate is what the n-th fence of an ended turn became: the block of that index, or
// with an index of -1 the honest state. A record that doesn't tell (DEC9) is
// foreign, old, or ended before the fence was looked up: then what was asked for
// is matched with its blocks.
func fate(rec *chat.Record, n int, asked markdown.Fence) (block int, notice verbatim.Fence) {
	if n < len(rec.Fences) {
		told := rec.Fences[n]
		if told.Locator == "" {
			return -1, told
		}
		if i := blockAt(rec, told.Locator); i >= 0 {
			return i, told
		}
		return -1, verbatim.Fence{Asked: told.Locator, Reason: notStored, Source: told.Source, Path: told.Path}
	}
	for _, text := range []string{asked.Locator, asked.Unescaped} {
		if b, ok := verbatim.Match(rec.AnswerText, text); ok {
			return blockAt(rec, b.Locator), verbatim.Fence{}
		}
	}
	if rec.State != chat.Done {
		return -1, verbatim.Fence{Asked: asked.Locator, Reason: "The answer ended before it was looked up."}
	}
	return -1, verbatim.Fence{Asked: asked.Locator, Reason: notStored}
}

// blockAt is the index of the block with a canonical locator, or -1.
func blockAt(rec *chat.Record, locator string) int {
	return slices.IndexFunc(rec.AnswerText, func(b verbatim.Block) bool { return b.Locator == locator })
}

// notStored is the reason for a fence whose text isn't in the record.
const notStored = "This answer was stored without its text."

// fenceURL links an unresolved fence to its document, if there is one.
func fenceURL(f verbatim.Fence) string {
	if f.Source == "" || f.Path == "" {
		return ""
	}
	return documentURL(f.Source, f.Path, 0, 0)
}

// unplaced are the blocks of a finished turn that no fence shows: a tool
// registered them, and they stand below the answer (V6).
func unplaced(turn int64, rec chat.Record, shown []markdown.Fence) []views.Panel {
	var panels []views.Panel
	for i, b := range rec.AnswerText {
		placed := false
		for n := range max(len(rec.Fences), len(shown)) {
			if n < len(rec.Fences) {
				placed = placed || rec.Fences[n].Locator == b.Locator
			} else if m, ok := verbatim.Match(rec.AnswerText, shown[n].Locator); ok {
				placed = placed || m.Locator == b.Locator
			}
		}
		if !placed {
			panels = append(panels, panel(turn, i, b))
		}
	}
	return panels
}
