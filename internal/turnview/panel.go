package turnview

import (
	"fmt"
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
		Lines: codeLines(b.Text, b.Path, b.StartLine), SHA256: b.SHA256, Revision: b.Revision, Encoding: b.Encoding,
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
	if n < len(f.rec.Fences) {
		if f.html[n] == "" {
			f.html[n] = f.recorded(f.rec.Fences[n])
		}
		return f.html[n], true
	}
	if f.rec.State == chat.Running {
		return markdown.Waiting, false
	}
	if f.html[n] == "" {
		f.html[n] = f.matched(asked)
	}
	return f.html[n], true
}

// recorded is a fence whose fate the record tells (DEC9).
func (f *fences) recorded(fence verbatim.Fence) string {
	if fence.Locator != "" {
		for i, b := range f.rec.AnswerText {
			if b.Locator == fence.Locator {
				return render(views.VerbatimPanel(panel(f.turn, i, b)))
			}
		}
		return unresolved(fence.Locator, notStored, fenceURL(fence))
	}
	return unresolved(fence.Asked, fence.Reason, fenceURL(fence))
}

// matched is a fence of a record that doesn't list its fences: foreign, old, or
// ended before the fence was looked up.
func (f *fences) matched(asked markdown.Fence) string {
	for _, text := range []string{asked.Locator, asked.Unescaped} {
		b, ok := verbatim.Match(f.rec.AnswerText, text)
		if !ok {
			continue
		}
		for i := range f.rec.AnswerText {
			if f.rec.AnswerText[i].Locator == b.Locator {
				return render(views.VerbatimPanel(panel(f.turn, i, b)))
			}
		}
	}
	if f.rec.State != chat.Done {
		return unresolved(asked.Locator, "The answer ended before it was looked up.", "")
	}
	return unresolved(asked.Locator, notStored, "")
}

// notStored is the reason for a fence whose text isn't in the record.
const notStored = "This answer was stored without its text."

func unresolved(asked, reason, url string) string {
	return render(views.UnresolvedPanel(views.Unresolved{Asked: asked, Reason: reason, URL: url}))
}

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
