package librarian

import (
	"path"
	"regexp"
	"strings"
)

// section is a run of lines that makes sense on its own. Lines count from 0
// here; end is exclusive.
type section struct {
	start, end int
	context    string // headings above it, which say what it is about
	procedure  bool   // numbered parts together
}

// Sizes in lines.
const (
	maxSection = 24 // a longer section is cut further
	window     = 12 // of what can't be cut by its form
	maxWhole   = 10 // a document of so few lines is one section
	maxSteps   = 80 // of a procedure that is shown as one
)

// sections cuts a document by the form that its name suggests. With steps, the
// numbered parts of a procedure are a section together too.
func sections(name string, lines []string, steps bool) []section {
	all := section{end: len(lines)}
	switch {
	case len(lines) == 0:
		return nil
	case len(lines) <= maxWhole:
		return []section{all}
	}
	var cut []section
	switch kindOf(name) {
	case "markdown":
		cut = markdownSections(lines)
	case "ini":
		cut = splitBefore(lines, all, isINIHeader, true)
	case "tree":
		cut = treeSections(lines, all)
	case "code":
		cut = splitBefore(lines, all, isDefinition, true)
	default:
		cut = paragraphs(lines, all)
	}
	var small []section
	for _, s := range cut {
		small = append(small, shorten(lines, s)...)
	}
	if procedure, found := numbered(lines, cut); steps && found {
		small = append(small, procedure)
	}
	return small
}

// kindOf sorts a file name into the forms that are cut differently.
func kindOf(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown":
		return "markdown"
	case ".container", ".network", ".volume", ".image", ".pod", ".kube", ".build", ".swap", ".os", ".endpoint",
		".service", ".timer", ".socket", ".mount", ".target", ".path", ".ini", ".toml", ".cfg", ".desktop":
		return "ini"
	case ".yaml", ".yml", ".json":
		return "tree"
	case ".py", ".go", ".sh", ".bash", ".js", ".ts", ".rs", ".c", ".rb", ".pl", ".lua":
		return "code"
	}
	return "text"
}

// shorten cuts a section that is too long: at blank lines, then by the count.
func shorten(lines []string, s section) []section {
	s = trimBlank(lines, s)
	if s.start >= s.end {
		return nil
	}
	if s.end-s.start <= maxSection {
		return []section{s}
	}
	parts := paragraphs(lines, s)
	if len(parts) == 1 {
		parts = nil
		for at := s.start; at < s.end; at += window / 2 {
			parts = append(parts, section{start: at, end: min(at+window, s.end), context: s.context})
			if at+window >= s.end {
				break
			}
		}
		return parts
	}
	var out []section
	for _, p := range parts {
		out = append(out, shorten(lines, p)...)
	}
	return out
}

func trimBlank(lines []string, s section) section {
	for s.start < s.end && isBlank(lines[s.start]) {
		s.start++
	}
	for s.end > s.start && isBlank(lines[s.end-1]) {
		s.end--
	}
	return s
}

// paragraphs cuts at blank lines. A line that announces what follows, such as
// one that ends in a colon, stays with it.
func paragraphs(lines []string, s section) (out []section) {
	start := s.start
	for i := s.start; i < s.end; i++ {
		if !isBlank(lines[i]) {
			continue
		}
		before := trimBlank(lines, section{start: start, end: i, context: s.context})
		if before.start == before.end || announces(lines[before.end-1]) {
			continue
		}
		out = append(out, before)
		start = i + 1
	}
	if last := trimBlank(lines, section{start: start, end: s.end, context: s.context}); last.start < last.end {
		out = append(out, last)
	}
	return out
}

func announces(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasSuffix(line, ":") || strings.HasPrefix(line, "#")
}

// splitBefore cuts before each line that begins a section, with the comment
// lines right above it.
func splitBefore(lines []string, s section, begins func(line string) bool, comments bool) (out []section) {
	start := s.start
	for i := s.start + 1; i < s.end; i++ {
		if !begins(lines[i]) {
			continue
		}
		cut := i
		for comments && cut > start && isComment(lines[cut-1]) {
			cut--
		}
		if cut > start {
			out = append(out, section{start: start, end: cut, context: s.context})
			start = cut
		}
	}
	return append(out, section{start: start, end: s.end, context: s.context})
}

func isINIHeader(line string) bool { return strings.HasPrefix(line, "[") }

// isDefinition reports a line at the margin that opens something.
func isDefinition(line string) bool {
	for _, word := range []string{"def ", "class ", "async def ", "func ", "type ", "function ", "fn ", "pub ", "impl ", "if __name__", "@"} {
		if strings.HasPrefix(line, word) {
			return true
		}
	}
	return strings.HasSuffix(strings.TrimSpace(line), "() {") && indent(line) == 0
}

func isComment(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "#") || strings.HasPrefix(line, ";") || strings.HasPrefix(line, "//")
}

func isBlank(line string) bool { return strings.TrimSpace(line) == "" }

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// markdownSections cuts at headings outside of fences, and knows each part's
// headings.
func markdownSections(lines []string) (out []section) {
	var path [7]string
	fence := ""
	start := frontMatter(lines)
	flush := func(end int) {
		if start < end {
			out = append(out, section{start: start, end: end, context: strings.Join(path[:], " ")})
		}
		start = end
	}
	for i := start; i < len(lines); i++ {
		line := lines[i]
		trimmed := strings.TrimSpace(line)
		if mark := fenceMark(trimmed); mark != "" {
			switch {
			case fence == "":
				fence = mark
			case strings.HasPrefix(mark, fence) && mark == trimmed:
				fence = ""
			}
			continue
		}
		level := len(line) - len(strings.TrimLeft(line, "#"))
		if fence != "" || level == 0 || level > 6 || !strings.HasPrefix(line[level:], " ") {
			continue
		}
		flush(i)
		path[level] = strings.TrimSpace(line[level:])
		clear(path[level+1:])
	}
	flush(len(lines))
	return out
}

// frontMatter is the number of lines of the metadata that a document may begin
// with, if anything follows it.
func frontMatter(lines []string) int {
	if strings.TrimSpace(lines[0]) != "---" {
		return 0
	}
	for i, line := range lines[1:] {
		if strings.TrimSpace(line) == "---" && i+2 < len(lines) {
			return i + 2
		}
	}
	return 0
}

var numberedHeading = regexp.MustCompile(`^#+ +(?:[Ss]tep +)?\d+[.):]? `)

// numbered is the run of sections with numbered headings, if there is one.
func numbered(lines []string, cut []section) (all section, found bool) {
	for _, s := range cut {
		if s.start >= s.end || !numberedHeading.MatchString(lines[s.start]) {
			continue
		}
		if all.end == 0 {
			all = s
		}
		all.end = s.end
	}
	all = trimBlank(lines, all)
	all.procedure = true
	steps := 0
	for _, line := range lines[all.start:all.end] {
		if numberedHeading.MatchString(line) {
			steps++
		}
	}
	return all, steps >= 2 && all.end-all.start <= maxSteps
}

// fenceMark is the run of back-quotes or tildes that a fence line begins with.
func fenceMark(line string) string {
	for _, c := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, c)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

// treeSections cuts indented text, YAML or JSON, into the largest blocks that
// aren't too long. Short neighbours stay together.
func treeSections(lines []string, s section) (out []section) {
	s = trimBlank(lines, s)
	if s.end-s.start <= maxSection {
		return []section{s}
	}
	head := s.start // the line that may open the block, after comments
	for head < s.end-1 && (isBlank(lines[head]) || isComment(lines[head])) {
		head++
	}
	depth := -1 // of the outermost lines after it
	for _, line := range lines[head+1 : s.end] {
		if n := indent(line); !isBlank(line) && !closes(line) && (depth < 0 || n < depth) {
			depth = n
		}
	}
	blocks := splitBefore(lines, s, func(line string) bool {
		return !isBlank(line) && !closes(line) && indent(line) <= depth
	}, true)
	if len(blocks) == 1 {
		return blocks
	}
	opener := strings.TrimSpace(lines[head])
	for _, b := range blocks {
		if b.start > s.start {
			b.context = strings.TrimSpace(s.context + " " + opener)
		}
		last := len(out) - 1
		switch {
		case b.end-b.start > maxSection:
			out = append(out, treeSections(lines, b)...)
		case last >= 0 && out[last].end == b.start && b.end-out[last].start <= window && b.end-b.start < 4 && !isBlank(lines[b.start-1]):
			out[last].end = b.end
		default:
			out = append(out, b)
		}
	}
	return out
}

// closes reports a line that belongs to the block above it.
func closes(line string) bool {
	line = strings.TrimSpace(line)
	return strings.HasPrefix(line, "}") || strings.HasPrefix(line, "]")
}
