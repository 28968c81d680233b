package turnview

import (
	"fmt"
	"net/url"
	"strings"
)

// documentURL leads to the viewer at a range of lines, or at the whole document
// when first is 0 (DEC7).
func documentURL(source, path string, first, last int) string {
	u := "/document?" + query("source", source) + "&" + query("path", path)
	if first > 0 {
		u += fmt.Sprintf("&lines=%d-%d#L%d", first, max(first, last), first)
	}
	return u
}

// identityURL is documentURL for source/path; empty for what is neither.
func identityURL(identity string, first, last int) string {
	source, path, ok := strings.Cut(identity, "/")
	if !ok || source == "" || path == "" {
		return ""
	}
	return documentURL(source, path, first, last)
}

func rawURL(source, path string) string {
	return "/document/raw?" + query("source", source) + "&" + query("path", path)
}

func query(key, value string) string { return key + "=" + url.QueryEscape(value) }

// turnURL is an address of the turn's own: "stop", "answer.md", "blocks/0".
func turnURL(turn int64, rest string) string { return fmt.Sprintf("/chat/turns/%d/%s", turn, rest) }

// ConversationURL is the page of a conversation.
func ConversationURL(conversation int64) string { return fmt.Sprintf("/c/%d", conversation) }

// EventsURL is where a running turn's events come from, for a page that shows it
// up to event after (DEC6).
func EventsURL(turn, after int64) string { return turnURL(turn, fmt.Sprintf("events?after=%d", after)) }

// StopURL ends a running turn.
func StopURL(turn int64) string { return turnURL(turn, "stop") }
