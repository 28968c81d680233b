package librarian

import (
	"html"
	"regexp"
	"strconv"
	"strings"

	"bor/internal/llm"
)

// document is one that the prompt holds or names, or that a tool has read.
type document struct {
	source, path, title string
	text                string
	image               bool // its text is what is written about it
	known               bool // text is there: all of it, or the lines from first
	first               int  // number of text's first line
	total               int  // lines of the whole document
	best                lineRange
}

func (d document) identity() string { return d.source + "/" + d.path }

// lineRange is a range of lines counted from 1; the zero range is none.
type lineRange struct{ first, last int }

// scene is what a request says, as far as the librarian uses it. The format of
// the prompt is the agent's (AG6).
type scene struct {
	question  string
	low       bool
	documents []document
	weak      []string // titles named in a prompt of low relevance
	verbatim  bool     // locator fences are taught, so they resolve
	readable  bool     // the tool read is offered
	pictures  bool     // the tool show_image is offered
	asked     map[string]bool
}

var (
	documentTag = regexp.MustCompile(`<document source="([^"]*)" path="([^"]*)" title="([^"]*)"([^>]*)>`)
	linesAttr   = regexp.MustCompile(`lines="(\d+)"`)
	imageAttr   = regexp.MustCompile(`kind="image"`)
	bestAttr    = regexp.MustCompile(`best="(\d+)-(\d+)"`)
	readLines   = regexp.MustCompile(`^lines: (\d+)[-–](\d+) of (\d+)`)
)

// deflectToken marks a prompt of low relevance (AG6).
const deflectToken = "DEFLECT_MODE"

// readScene reads a request.
func readScene(req llm.Request) scene {
	s := scene{asked: map[string]bool{}}
	question := -1
	for i, m := range req.Messages {
		switch m.Role {
		case llm.System:
			s.readSystem(m.Content)
		case llm.User:
			question = i
		}
	}
	if question >= 0 {
		s.question = req.Messages[question].Content
		s.readRounds(req.Messages[question+1:])
	}
	for _, t := range req.Tools {
		s.readable = s.readable || t.Name == "read"
		s.pictures = s.pictures || t.Name == "show_image"
	}
	return s
}

// readSystem reads a system prompt. What documents say is taken out first, so
// that no document can pass for the prompt's own words.
func (s *scene) readSystem(prompt string) {
	var own strings.Builder
	for {
		at := documentTag.FindStringSubmatchIndex(prompt)
		if at == nil {
			break
		}
		attribute := func(i int) string { return html.UnescapeString(prompt[at[2*i]:at[2*i+1]]) }
		d := document{source: attribute(1), path: attribute(2), title: attribute(3), first: 1}
		rest, body := attribute(4), prompt[at[1]:]
		own.WriteString(prompt[:at[0]])
		if strings.HasSuffix(rest, "/") {
			d.total = number(linesAttr, rest, 1)
			d.best = lineRange{number(bestAttr, rest, 1), number(bestAttr, rest, 2)}
			prompt = body
		} else {
			body, prompt, _ = strings.Cut(body, "</document>")
			d.text, d.known = unfence(body), true
			d.total = len(splitLines(d.text))
			d.image = imageAttr.MatchString(rest)
		}
		s.documents = append(s.documents, d)
	}
	own.WriteString(prompt)
	s.low = strings.Contains(own.String(), "<relevance>LOW</relevance>")
	s.verbatim = strings.Contains(own.String(), "<verbatim>")
	if _, after, found := strings.Cut(own.String(), "\n"+deflectToken+"\n"); found {
		s.weak = titles(after)
	}
}

var disarmed = regexp.MustCompile(`(?i)&lt;(/?document)`)

// unfence gives a document's own text back: the prompt writes it on lines of its
// own and disarms what could open or close its block.
func unfence(body string) string {
	body = strings.TrimSuffix(strings.TrimPrefix(body, "\n"), "\n")
	return disarmed.ReplaceAllString(body, "<$1")
}

// titles reads the list of weak hits.
func titles(text string) (found []string) {
	for line := range strings.Lines(text) {
		item, isItem := strings.CutPrefix(strings.TrimSpace(line), "- ")
		if isItem && item != "" {
			found = append(found, item)
		}
	}
	return found
}

// readRounds takes the tool calls of the turn so far and what they gave.
func (s *scene) readRounds(messages []llm.Message) {
	for _, m := range messages {
		for _, call := range m.ToolCalls {
			s.asked[call.Name+call.Arguments] = true
		}
		if m.Role == llm.ToolRole {
			s.readResult(m.Content)
		}
	}
}

// readResult takes the result of a read: a header of lines that ends with the
// range, then the text. Anything else is no document.
func (s *scene) readResult(content string) {
	name, rest, _ := strings.Cut(content, "\n")
	identity, isDocument := strings.CutPrefix(name, "Document ")
	if !isDocument {
		return
	}
	identity = strings.TrimSuffix(strings.TrimSpace(identity), ":")
	for rest != "" {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		m := readLines.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		first, last, total := atoi(m[1]), atoi(m[2]), atoi(m[3])
		lines := splitLines(rest)
		lines = lines[:max(0, min(len(lines), last-first+1))] // a notice may follow
		s.learn(identity, document{text: strings.Join(lines, ""), known: true, first: max(first, 1), total: total})
		return
	}
}

// learn puts a text that was read to the document that the prompt named, or
// before all others.
func (s *scene) learn(identity string, read document) {
	for i, d := range s.documents {
		if d.identity() == identity {
			read.source, read.path, read.title = d.source, d.path, d.title
			s.documents[i] = read
			return
		}
	}
	read.source, read.path, _ = strings.Cut(identity, "/")
	read.title = read.path
	s.documents = append([]document{read}, s.documents...)
}

// splitLines cuts after each LF; a last line without one is a line.
func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
}

func number(attr *regexp.Regexp, s string, group int) int {
	if m := attr.FindStringSubmatch(s); m != nil {
		return atoi(m[group])
	}
	return 0
}

// atoi reads digits; a number too long for an int is 0.
func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}
