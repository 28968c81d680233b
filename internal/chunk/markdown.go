package chunk

import (
	"regexp"
	"strings"
)

var (
	atxHeading   = regexp.MustCompile(`^ {0,3}(#{1,6})(?:[ \t]+(.*))?$`)
	atxClosing   = regexp.MustCompile(`(?:^|[ \t]+)#+$`)
	setextLine   = regexp.MustCompile(`^ {0,3}(?:=+|-+)$`)
	listItem     = regexp.MustCompile(`^\s*(?:[-+*]|\d{1,9}[.)])(?:\s|$)`)
	tableRule    = regexp.MustCompile(`^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?$`)
	notParagraph = regexp.MustCompile(`^(?:\t| {4}| {0,3}(?:[#>|<]|[-+*] |\d{1,9}[.)] |---|\*\*\*|___))`)
	rawHTML      = regexp.MustCompile(`^ {0,3}<(pre|script|style|textarea)(?:[\s>]|$)`)
)

// markdown finds headings of level one to three, and keeps front matter, code blocks, tables, comments and raw
// HTML in one piece.
func markdown(d *document) []section {
	paragraphs(d)
	m := scanner{document: d, paragraph: -1, unclosed: map[byte]int{}}
	for i := m.frontMatter(); i < d.lines(); {
		i = m.block(i)
	}
	return m.sections
}

type scanner struct {
	*document
	sections  []section
	paragraph int // where the open paragraph starts, or -1
	// unclosed has, for each character of fences, the shortest run that is known not to be closed any more.
	// It keeps a file of many open fences linear.
	unclosed map[byte]int
}

// block reads what starts at line i, one line or a block of several, and gives the line after it.
func (m *scanner) block(i int) int {
	line := m.line(i)
	if end := m.held(i, line); end > i {
		m.hold(i, end)
		m.breaks[end] = max(m.breaks[end], breakItem)
		m.paragraph = -1
		return end
	}
	heading := atxHeading.FindStringSubmatch(line)
	switch {
	case heading != nil:
		m.heading(i, i+1, len(heading[1]), atxClosing.ReplaceAllString(heading[2], ""))
	case m.paragraph >= 0 && setextLine.MatchString(line):
		level := 2
		if strings.Contains(line, "=") {
			level = 1
		}
		m.heading(m.paragraph, i+1, level, m.slice(m.paragraph, i))
	case line == "":
		m.paragraph = -1
	case listItem.MatchString(line):
		if line[0] == ' ' || line[0] == '\t' {
			m.breaks[i] = max(m.breaks[i], breakStructure)
		} else {
			m.breaks[i] = max(m.breaks[i], breakItem)
		}
		m.paragraph = -1
	case m.paragraph < 0 && !notParagraph.MatchString(line):
		m.paragraph = i
	}
	return i + 1
}

// heading notes a heading; what follows it should stay with it.
func (m *scanner) heading(from, to, level int, text string) {
	m.paragraph = -1
	if level <= 3 {
		m.sections = append(m.sections, section{from, strings.Join(strings.Fields(text), " "), level})
	} else {
		m.breaks[from] = breakHeading
	}
	for i := to; i < m.lines(); i++ {
		m.breaks[i] = breakLine
		if m.line(i) != "" {
			return
		}
	}
}

// held is the end of the block at line i that should stay in one piece, or 0 when there is none.
func (m *scanner) held(i int, line string) int {
	text := strings.TrimLeft(line, " \t")
	switch {
	case strings.HasPrefix(text, "```"), strings.HasPrefix(text, "~~~"):
		return m.fence(i, line)
	case strings.HasPrefix(text, "<!--"):
		return m.until(i, "-->")
	case strings.HasPrefix(text, "<"):
		if tag := rawHTML.FindStringSubmatch(line); tag != nil {
			return m.until(i, "</"+tag[1]+">")
		}
	case strings.Contains(line, "|") && i+1 < m.lines():
		if rule := m.line(i + 1); strings.Contains(rule, "-") && strings.Contains(rule, "|") && tableRule.MatchString(rule) {
			return m.table(i)
		}
	}
	return 0
}

// frontMatter holds what stands between "---" or "+++" lines at the very start, and gives the line after it.
func (m *scanner) frontMatter() int {
	mark := m.line(0)
	if mark != "---" && mark != "+++" {
		return 0
	}
	for i := 1; i < m.lines(); i++ {
		if line := m.line(i); line == mark || mark == "---" && line == "..." {
			m.hold(0, i+1)
			m.breaks[i+1] = max(m.breaks[i+1], breakParagraph)
			return i + 1
		}
	}
	return 0
}

// fence is the end of a fenced code block. One without a closing line reaches to the end of the list item that it
// stands in, or of the document.
func (m *scanner) fence(i int, line string) int {
	text := strings.TrimLeft(line, " \t")
	mark, indent := text[0], len(line)-len(text)
	info := strings.TrimLeft(text, text[:1])
	run := len(text) - len(info)
	if mark == '`' && strings.Contains(info, "`") {
		return 0
	}
	if shortest := m.unclosed[mark]; shortest == 0 || run < shortest {
		for j := i + 1; j < m.lines(); j++ {
			closing := strings.TrimSpace(m.line(j))
			if len(closing) >= run && closing[0] == mark && strings.Trim(closing, text[:1]) == "" {
				return j + 1
			}
		}
		m.unclosed[mark] = run
	}
	for j := i + 1; indent > 0 && j < m.lines(); j++ {
		if line := m.line(j); line != "" && len(line)-len(strings.TrimLeft(line, " \t")) < indent {
			return j
		}
	}
	return m.lines()
}

// until is the line after the one that holds the end of a block, or the end of the document.
func (m *scanner) until(i int, end string) int {
	for ; i < m.lines(); i++ {
		if strings.Contains(m.slice(i, i+1), end) {
			return i + 1
		}
	}
	return i
}

// table is the end of a table whose header is line i: the next blank line, or the start of another block.
func (m *scanner) table(i int) int {
	for i += 2; i < m.lines(); i++ {
		if line := m.line(i); line == "" || atxHeading.MatchString(line) || !strings.Contains(line, "|") && notParagraph.MatchString(line) {
			break
		}
	}
	return i
}
