package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"bor/internal/agent"
	"bor/internal/kb"
)

// header is what stands before a document's text, the same for read and
// show_text.
func header(identity, date, revision, origin string, first, last, total int) string {
	switch {
	case date == "":
		date = "unknown"
	case revision != "":
		date += " (of the commit)"
	}
	if revision != "" {
		revision = "origin: commit " + revision + "\n"
	}
	if origin != "" {
		origin = "origin: " + origin + "\n"
	}
	return fmt.Sprintf("Document %s:\ndate: %s\n%s%slines: %d-%d of %d\n", identity, date, revision, origin, first, last, total)
}

// day is a document's date as a day, or nothing.
func day(doc kb.Document) string {
	if doc.Date.IsZero() {
		return ""
	}
	return doc.Date.UTC().Format(time.DateOnly)
}

// marked is cut text with the mark that says so, on a line of its own.
func marked(text string) string {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text + kb.TruncationMark + "\n"
}

// lineNote says for people which lines a result holds.
func lineNote(first, last, total int) string {
	switch {
	case total == 0:
		return "empty"
	case first == last:
		return fmt.Sprintf("line %d of %d", first, total)
	default:
		return fmt.Sprintf("lines %d–%d of %d", first, last, total)
	}
}

func counted(n int, noun, plural string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %s", n, plural)
}

// flat is text on one line, for rows.
func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

// card is the structure of a result as the record stores it.
func card(structure any) json.RawMessage {
	out, err := json.Marshal(structure)
	if err != nil {
		panic(err) // strings and numbers only
	}
	return out
}

// clipped is the beginning of a text on one line, marked where it was cut.
func clipped(text string, chars int) string {
	text = flat(text)
	if short := kb.FirstChars(text, chars); short != text {
		return strings.TrimRight(short, " ") + "…"
	}
	return text
}

// noDocument refuses a path that names no document, with the closest that do.
func noDocument(ctx context.Context, store Store, path, advice string) error {
	closest, err := store.Closest(ctx, path, 3)
	if err != nil {
		return err
	}
	return unknown(path, advice, closest)
}

// unknown refuses a path that names nothing.
func unknown(path, advice string, closest []string) agent.Refusal {
	refusal := fmt.Sprintf("There is no %q. %s", kb.FirstChars(path, 300), advice)
	if len(closest) > 0 {
		refusal += " The closest: " + strings.Join(closest, ", ") + "."
	}
	return agent.Refusal(refusal)
}
