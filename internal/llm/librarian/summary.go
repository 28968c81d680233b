package librarian

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"bor/internal/llm"
)

// Complete makes a summary: of the document that the request holds in a
// <document> block, or else of the list that its last message ends with.
func (*Responder) Complete(ctx context.Context, req llm.Request) (string, error) {
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	var last string
	for _, m := range req.Messages {
		var s scene
		s.readSystem(m.Content)
		if len(s.documents) > 0 && s.documents[0].known {
			return summary(s.documents[0]), nil
		}
		last = m.Content
	}
	return listing(last), nil
}

// truncationMark stands where a text was cut before it was given to a model.
const truncationMark = "[…truncated…]"

const (
	maxSentence = 200 // characters of a first sentence
	maxKeys     = 12  // names that a summary lists
)

// summary tells what a document is, from its own words and names.
func summary(d document) string {
	text, cut := strings.CutSuffix(strings.TrimSuffix(d.text, "\n"), "\n"+truncationMark)
	lines := splitLines(text)
	out := d.title + ", "
	if cut {
		out += "more than "
	}
	out += count(len(lines), "line") + "."
	kind := kindOf(d.path)
	if s := firstSentence(lines); s != "" && s != d.title {
		out += " " + s
	}
	if found := outline(kind, lines); len(found) > 0 {
		more := ""
		if len(found) > maxKeys {
			more = fmt.Sprintf(" and %d more", len(found)-maxKeys)
			found = found[:maxKeys]
		}
		out += " " + outlineNames[kind] + ": " + strings.Join(found, ", ") + more + "."
	}
	return out
}

var outlineNames = map[string]string{
	"markdown": "Headings", "ini": "Sections and keys", "tree": "Keys", "code": "Definitions",
}

var (
	outlineForms = map[string]*regexp.Regexp{
		"markdown": regexp.MustCompile(`^#{2,3} +(.+?)\s*#*\s*$`),
		"ini":      regexp.MustCompile(`^(\[[^\]]+\]|[A-Za-z][\w-]*)(?:\s*=.*)?\s*$`),
		"tree":     regexp.MustCompile(`^\s{0,2}"?([\w.-]+)"?:`),
		"code":     regexp.MustCompile(`^(?:async )?(?:def|class|func|function|type|fn) +(?:\([^)]*\) *)?([\w.]+)|^([\w.]+)\(\) *\{`),
	}
	commentEnd = regexp.MustCompile(`\s*(?:"""|'''|-->|\*/)?\s*$`)
	describing = regexp.MustCompile(`(?i)^\W*"?description"?\s*[:=]\s*"?(.+?)"?,?\s*$`)
)

// outline lists the names that a document defines, each once, in order.
func outline(kind string, lines []string) (found []string) {
	form := outlineForms[kind]
	if form == nil {
		return nil
	}
	for _, line := range lines {
		m := form.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil {
			continue
		}
		name := m[len(m)-1]
		if name == "" {
			name = m[1]
		}
		if !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	return found
}

// firstSentence is what a document says about itself first: its description, or
// the first sentence of its first prose or comment.
func firstSentence(lines []string) string {
	for _, line := range lines {
		if m := describing.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			return sentenceOf(m[1])
		}
	}
	front := len(lines) > 0 && strings.TrimSpace(lines[0]) == "---"
	var prose []string
	for i, line := range lines {
		line = strings.TrimSpace(line)
		if front && i > 0 && line == "---" {
			front = false
			continue
		}
		text := commentEnd.ReplaceAllString(strings.TrimPrefix(strings.TrimLeft(line, "\ufeff#;/\"'<!-> "), "* "), "")
		heading := strings.HasPrefix(strings.TrimPrefix(line, "\ufeff"), "# ") && len(prose) == 0 && i+1 < len(lines) && isBlank(lines[i+1])
		switch {
		case front || heading || strings.HasPrefix(line, "#!"):
		case text == "" || !isProse(text):
			if len(prose) > 0 {
				return sentenceOf(strings.Join(prose, " "))
			}
		default:
			prose = append(prose, text)
		}
	}
	return sentenceOf(strings.Join(prose, " "))
}

// isProse reports text of words rather than of settings and signs.
func isProse(text string) bool {
	words := strings.Fields(text)
	if len(words) < 4 || strings.HasPrefix(text, "|") || strings.HasSuffix(words[0], ":") {
		return false
	}
	letters := 0
	for _, w := range words {
		if isWordRune([]rune(w)[0]) && !strings.ContainsAny(w, "={}[]|$<>;") {
			letters++
		}
	}
	return letters*4 >= len(words)*3
}

func sentenceOf(text string) string {
	for i, r := range text {
		if (r == '.' || r == '!' || r == '?') && (i+1 == len(text) || text[i+1] == ' ') {
			text = text[:i+1]
			break
		}
	}
	if runes := []rune(text); len(runes) > maxSentence {
		return strings.TrimSpace(string(runes[:maxSentence])) + "…"
	}
	if text != "" && strings.TrimRight(text, ".!?…") == text {
		text += "."
	}
	return text
}

var (
	listed = regexp.MustCompile(`^\s*[-*]\s+(.+?)\s*$`)
	unseen = regexp.MustCompile(`^and (\d+) more$`)
)

// listing sums up a list of documents, folders or sources: how many they are,
// and which come first.
func listing(text string) string {
	var rows []string
	total := 0
	for line := range strings.Lines(text) {
		if m := listed.FindStringSubmatch(line); m != nil {
			rows = append(rows, m[1])
			total++
		} else if m := unseen.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
			total += atoi(m[1])
		}
	}
	if len(rows) == 0 {
		return sentenceOf(strings.Join(strings.Fields(text), " "))
	}
	rows = rows[:min(maxKeys, len(rows))]
	out := count(total, "entry") + ": " + strings.Join(rows, "; ")
	if more := total - len(rows); more > 0 {
		out += fmt.Sprintf("; and %d more", more)
	}
	if strings.HasSuffix(out, ".") {
		return out
	}
	return out + "."
}

// count is a number with its noun.
func count(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "y"):
		noun = strings.TrimSuffix(noun, "y") + "ie"
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
