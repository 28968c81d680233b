package librarian

import (
	"fmt"
	"strings"
)

// sentence introduces passages and places each under its name.
func (s scene) sentence(opening string, found []passage) string {
	var out strings.Builder
	out.WriteString(opening)
	for i, p := range found {
		joint := ": "
		if i > 0 {
			joint = "\nAnd in "
		}
		fmt.Fprintf(&out, "%s**%s**, %s.\n\n%s", joint, inline(p.document.title), place(p), s.block(p))
	}
	return out.String()
}

// picture names an image, and quotes what is written about it.
func (s scene) picture(d document) string {
	text := fmt.Sprintf("This image fits: **%s**, %s.", inline(d.title), codeSpan(d.identity()))
	if s.pictures {
		text = fmt.Sprintf("Here is **%s**, %s; it stands below.", inline(d.title), codeSpan(d.identity()))
	}
	var about []string
	for line := range strings.Lines(d.text) {
		if line = strings.TrimSpace(line); line != "" {
			about = append(about, inline(line))
		}
	}
	if len(about) == 0 {
		return text + "\n"
	}
	return text + " The notes say of it:\n\n> " + strings.Join(about, "\n>\n> ") + "\n"
}

// place names a passage's document and lines.
func place(p passage) string {
	name := codeSpan(p.document.identity())
	switch {
	case p.lines.first == 0:
		return name
	case p.lines.first == p.lines.last:
		return fmt.Sprintf("%s, line %d", name, p.lines.first)
	}
	return fmt.Sprintf("%s, lines %d–%d", name, p.lines.first, p.lines.last)
}

// block shows a passage: by a locator fence, for which the server supplies the
// bytes, or, where those aren't available, as a plain code block of the text.
func (s scene) block(p passage) string {
	if s.verbatim {
		locator := p.document.identity()
		if p.lines.first > 0 {
			locator += fmt.Sprintf(" %d-%d", p.lines.first, p.lines.last)
		}
		fence := "```"
		if strings.Contains(locator, "`") {
			fence = "~~~" // the info string of a back-quote fence may not hold one
		}
		return fence + "bor " + locator + "\n" + fence + "\n"
	}
	if !p.document.known {
		return ""
	}
	text := p.document.text
	if lines := (lineRange{p.document.first, p.document.first + len(splitLines(text)) - 1}); p.lines.first >= lines.first && p.lines.last <= lines.last {
		text = p.text()
	}
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	fence := strings.Repeat("`", max(3, longestRun(text, '`')+1))
	return fence + "\n" + text + fence + "\n"
}

// maxNamed is how many titles a deflection names.
const maxNamed = 3

// deflection says that there are no notes, and what there is. Questions to ask
// instead are the page's to offer, as buttons, and aren't said twice.
func deflection(weak []string) string {
	var out strings.Builder
	out.WriteString("I have no notes on that.")
	if len(weak) == 0 {
		out.WriteString(" Ask me about something that is in the indexed files: a file by its name, a setting, a host or a port.\n")
		return out.String()
	}
	weak = weak[:min(maxNamed, len(weak))]
	bold := make([]string, len(weak))
	for i, title := range weak {
		bold[i] = "**" + inline(title) + "**"
	}
	fmt.Fprintf(&out, " What I have that comes closest: %s.\n", strings.Join(bold, ", "))
	return out.String()
}

// inline makes a title fit to stand in a line of Markdown as the text it is.
func inline(title string) string {
	var out strings.Builder
	for _, r := range strings.Join(strings.Fields(title), " ") {
		if strings.ContainsRune("\\`*_[]<>&|~#!", r) {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
	return out.String()
}

// codeSpan writes a name as code, whatever back-quotes it holds.
func codeSpan(name string) string {
	n := longestRun(name, '`')
	if n == 0 {
		return "`" + name + "`"
	}
	fence := strings.Repeat("`", n+1)
	return fence + " " + name + " " + fence
}

// longestRun is the length of the longest run of c in s.
func longestRun(s string, c byte) (longest int) {
	run := 0
	for i := range len(s) {
		if s[i] != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
