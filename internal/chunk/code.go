package chunk

import (
	"regexp"
	"strings"
)

// language says how the top-level definitions of a language look. That is enough for places to cut; a wrong guess
// costs no more than a worse one.
type language struct {
	// definition matches the first line; its first group that isn't empty is the name.
	definition *regexp.Regexp
	// lead matches lines that belong to the definition below them, such as comments and decorators.
	lead *regexp.Regexp
	// quotes open and close strings of several lines, in which nothing is a definition.
	quotes []string
}

var (
	hashLead = regexp.MustCompile(`^#`)

	python = language{
		regexp.MustCompile(`^(?:(?:async[ \t]+)?def|class)[ \t]+(\w+)|^(if __name__)\b`),
		regexp.MustCompile(`^[#@]`),
		[]string{`"""`, `'''`},
	}
	golang = language{
		regexp.MustCompile(`^func[ \t]*(?:\([^)]*\)[ \t]*)?(\w+)|^(?:type|var|const)[ \t]+(\w+)|^(import|type|var|const)\b`),
		regexp.MustCompile(`^//`),
		[]string{"`"},
	}
	shell = language{
		regexp.MustCompile(`^(?:function[ \t]+)?([\w:.-]+)[ \t]*\([ \t]*\)|^function[ \t]+([\w:.-]+)`),
		hashLead,
		nil,
	}
	dockerfile = language{regexp.MustCompile(`^(?i:FROM)[ \t]+(.+)`), hashLead, nil}
	makefile   = language{regexp.MustCompile(`^([^\s#=:][^#=:]*?)[ \t]*::?(?:[^=]|$)`), hashLead, nil}
	caddyfile  = language{regexp.MustCompile(`^([^\s#{}][^#{}]*?)[ \t]*\{$`), hashLead, nil}
)

// outline finds the top-level definitions.
func (l language) outline(d *document) []section {
	d.indentation()
	var list []section
	floor, quote := -1, ""
	for i := range d.lines() {
		line := d.line(i)
		inside := quote != ""
		quote = l.openQuote(line, quote)
		if inside {
			d.breaks[i] = breakLine
			continue
		}
		m := l.definition.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		list = append(list, section{first: d.leadIn(i, floor, l.lead.MatchString), heading: strings.Join(m[1:], "")})
		floor = i
	}
	return list
}

// openQuote is the quote that is open at the end of a line, when the one given was open at its start.
func (l language) openQuote(line, open string) string {
	for len(l.quotes) > 0 {
		if open != "" {
			_, after, closed := strings.Cut(line, open)
			if !closed {
				return open
			}
			line, open = after, ""
		}
		at := len(line)
		for _, quote := range l.quotes {
			if i := strings.Index(line, quote); i >= 0 && i < at {
				at, open = i, quote
			}
		}
		if open == "" || l.lead.MatchString(strings.TrimLeft(line[:at], " \t")) {
			return ""
		}
		line = line[at+len(open):]
	}
	return ""
}
