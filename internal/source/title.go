package source

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Title names a document: front matter's title, else the first level-one heading of a Markdown file, else the
// file's name without its extension. White space is collapsed and inline markup dropped; nothing else is changed.
//
// A title over MaxTitleChars isn't cut: the file's name stands in, and note says so for the run's report. note is
// empty otherwise.
func Title(file, text string) (title, note string) {
	if isMarkdown(file) {
		title = markdownTitle(strings.TrimPrefix(text, "\uFEFF"))
	}
	if n := utf8.RuneCountInString(title); n > MaxTitleChars {
		title, note = "", fmt.Sprintf("the title has %d characters, the limit is %d: the file's name is used", n, MaxTitleChars)
	}
	if title != "" {
		return title, note
	}
	return nameTitle(file), note
}

// nameTitle fits MaxTitleChars on every common file system, where names have at most 255 bytes. A longer name is
// kept to its end, which is where numbered files differ.
func nameTitle(file string) string {
	base := path.Base(file)
	name := strings.TrimSuffix(base, path.Ext(base))
	if name == "" {
		name = base
	}
	for utf8.RuneCountInString(name) > MaxTitleChars {
		_, size := utf8.DecodeRuneInString(name)
		name = name[size:]
	}
	return name
}

func isMarkdown(file string) bool {
	switch strings.ToLower(path.Ext(file)) {
	case ".md", ".markdown", ".mdx":
		return true
	}
	return false
}

func markdownTitle(text string) string {
	front, body := frontMatter(text)
	if title := frontTitle(front); title != "" {
		return title
	}
	return firstHeading(body)
}

// frontMatter parts text into what stands between its first line and the next one that closes it, "---" for YAML
// or "+++" for TOML, and the rest. Without a closing line there is no front matter.
func frontMatter(text string) (front, body string) {
	first, rest, _ := strings.Cut(text, "\n")
	mark := strings.TrimRight(first, " \t\r")
	if mark != "---" && mark != "+++" {
		return "", text
	}
	for offset := 0; offset < len(rest); {
		line, after, _ := strings.Cut(rest[offset:], "\n")
		line = strings.TrimRight(line, " \t\r")
		if line == mark || (mark == "---" && line == "...") {
			return rest[:offset], after
		}
		offset = len(rest) - len(after)
	}
	return "", text
}

var titleKey = regexp.MustCompile(`^(?i:title)[ \t]*(?::(?:[ \t]+(.*)|$)|=[ \t]*(.*))`)

// frontTitle reads the title key of YAML or TOML front matter: plain, quoted, or a YAML block scalar.
func frontTitle(front string) string {
	for front != "" {
		var line string
		line, front, _ = strings.Cut(front, "\n")
		m := titleKey.FindStringSubmatch(strings.TrimRight(line, " \t\r"))
		if m == nil {
			continue
		}
		value := m[1] + m[2]
		if strings.HasPrefix(value, "|") || strings.HasPrefix(value, ">") {
			value = blockScalar(front)
		} else {
			value = scalar(value)
		}
		return strings.Join(strings.Fields(value), " ")
	}
	return ""
}

// blockScalar gathers the indented lines at the start of s.
func blockScalar(s string) string {
	end := 0
	for end < len(s) {
		line, _, _ := strings.Cut(s[end:], "\n")
		if strings.TrimSpace(line) != "" && line[0] != ' ' && line[0] != '\t' {
			break
		}
		end = min(end+len(line)+1, len(s))
	}
	return s[:end]
}

// scalar is the value of a one-line YAML or TOML scalar without its quotes or its comment.
func scalar(s string) string {
	switch {
	case strings.HasPrefix(s, `"`):
		if quoted, err := strconv.QuotedPrefix(s); err == nil {
			s, _ = strconv.Unquote(quoted)
			return s
		}
	case strings.HasPrefix(s, "'"):
		inner, _, _ := strings.Cut(strings.ReplaceAll(s[1:], "''", "\x00"), "'")
		return strings.ReplaceAll(inner, "\x00", "'")
	}
	if i := strings.Index(s, " #"); i >= 0 {
		s = s[:i]
	}
	if strings.HasPrefix(s, "#") {
		return ""
	}
	return s
}

// firstHeading is the plain text of the first level-one heading that has any, ATX ("# Title") or setext
// (underlined with "="), outside code blocks and HTML comments.
func firstHeading(body string) string {
	fence := ""      // what closes the code block that we are in
	comment := false // we are in an HTML comment
	para := -1       // where the open paragraph starts
	for offset := 0; offset < len(body); {
		start := offset
		line, after, _ := strings.Cut(body[start:], "\n")
		offset = len(body) - len(after)
		trimmed := strings.TrimSpace(line)
		switch {
		case fence != "":
			if isClosing(trimmed, fence) {
				fence = ""
			}
		case comment:
			comment = !strings.Contains(line, "-->")
		case trimmed == "":
			para = -1
		case openingFence(trimmed) != "":
			fence, para = openingFence(trimmed), -1
		case strings.HasPrefix(trimmed, "<!--"):
			comment, para = !strings.Contains(trimmed[len("<!--"):], "-->"), -1
		case indented(line): // code, or the paragraph goes on
		case atxOne(trimmed) != "":
			if title := plain(atxOne(trimmed)); title != "" {
				return title
			}
			para = -1
		case para >= 0 && strings.Trim(trimmed, "=") == "":
			if title := plain(body[para:start]); title != "" {
				return title
			}
			para = -1
		case notParagraph.MatchString(trimmed):
			para = -1
		case para < 0:
			para = start
		}
	}
	return ""
}

// notParagraph matches lines that start another kind of block.
var notParagraph = regexp.MustCompile(`^(?:#|>|\||<|[-+*] |\d{1,9}[.)] |---|\*\*\*|___)`)

func indented(line string) bool {
	return strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")
}

// atxOne is the raw text of a level-one ATX heading, or "".
func atxOne(line string) string {
	if !strings.HasPrefix(line, "# ") && !strings.HasPrefix(line, "#\t") {
		return ""
	}
	text := strings.TrimSpace(line[1:])
	if bare := strings.TrimRight(text, "#"); bare == "" || strings.HasSuffix(bare, " ") || strings.HasSuffix(bare, "\t") {
		text = strings.TrimSpace(bare)
	}
	return text
}

// openingFence is the run of back-quotes or tildes that opens a code block, or "".
func openingFence(line string) string {
	for _, mark := range []string{"`", "~"} {
		rest := strings.TrimLeft(line, mark)
		if n := len(line) - len(rest); n >= 3 && (mark == "~" || !strings.Contains(rest, "`")) {
			return line[:n]
		}
	}
	return ""
}

func isClosing(line, fence string) bool {
	return strings.HasPrefix(line, fence) && strings.Trim(line, fence[:1]) == ""
}
