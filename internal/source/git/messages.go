package git

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// Bounds on what is kept of git's messages.
const (
	maxMessages = 40
	maxMessage  = 500
)

// messages keeps what git says on its standard error: its last lines, without
// progress, which a carriage return ends when no line end follows it.
type messages struct {
	alive    func()     // called at every sign of life
	mu       sync.Mutex // a call that is given up is asked what it said while it says it
	lines    []string
	line     []byte
	returned bool // the last byte was a carriage return
}

func (m *messages) Write(b []byte) (int, error) {
	m.alive()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range b {
		switch {
		case c == '\n':
			m.end()
		case c != '\r':
			if m.returned {
				m.line = m.line[:0]
			}
			if len(m.line) < maxMessage {
				m.line = append(m.line, c)
			}
		}
		m.returned = c == '\r'
	}
	return len(b), nil
}

func (m *messages) end() {
	if line := printable(string(m.line)); line != "" {
		m.lines = append(m.lines, line)
		m.lines = m.lines[max(0, len(m.lines)-maxMessages):]
	}
	m.line = m.line[:0]
}

// text is what was said, line by line.
func (m *messages) text() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.end()
	return strings.Join(m.lines, "\n")
}

// printable is a server's or a repository's text as one line that does nothing to
// a terminal or a log.
func printable(line string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(line, "?")))
}

var userInfo = regexp.MustCompile(`//[^/@\s'"]*@`)

// redact takes secrets out of a text, and the user's part of every address.
func redact(text string, secrets []string) string {
	for _, s := range secrets {
		text = strings.ReplaceAll(text, s, "…")
	}
	return userInfo.ReplaceAllString(text, "//…@")
}
