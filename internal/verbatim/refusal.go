package verbatim

import (
	"fmt"
	"strings"

	"bor/internal/kb"
)

// Refusal is an answer of Show that teaches the model what to do instead. It is
// no fault, and people never see it.
type Refusal string

func (r Refusal) Error() string { return string(r) }

// refuse words a problem for the model.
func (a *Answer) refuse(why problem, want Locator, total int) Refusal {
	name := want.Identity()
	switch why {
	case image:
		if a.resolver.ShowImage {
			return Refusal(fmt.Sprintf("%s is an image, not text: it has no lines to show. Show it with show_image.", name))
		}
		return Refusal(fmt.Sprintf("%s is an image, not text: it has no lines to show. Name it in your answer instead.", name))
	case badRange:
		return Refusal(fmt.Sprintf("That is not a range of lines: lines count from 1, limit is at least 1, and a range doesn't end before it starts. "+
			"%s has %s. Leave offset and limit out for the whole document.", name, countLines(total)))
	case pastEnd:
		return Refusal(fmt.Sprintf("%s has only %s, so nothing starts at line %d. Choose an offset within it, or leave offset and limit out for the whole document.",
			name, countLines(total), want.First))
	case shown:
		return Refusal(fmt.Sprintf("The user already sees exactly this: %s. Describe it, or show another place.", want))
	case full:
		return Refusal(fmt.Sprintf("This answer already shows %d blocks, which is the limit. Answer with what is shown, and name other documents by their path.", a.resolver.MaxBlocks))
	default:
		return "Nothing can be shown in this answer: it stands on no document."
	}
}

// refuseUnknown names the documents that the path may have meant.
func refuseUnknown(path string, closest []string) Refusal {
	text := fmt.Sprintf("There is no document %q. A path is the whole identity, source/path.", kb.FirstChars(path, maxLocator))
	if len(closest) > 0 {
		return Refusal(text + " The closest: " + strings.Join(closest, ", ") + ".")
	}
	return Refusal(text + " Nothing has a similar name: find it with ls or grep.")
}

// reason words a problem for people: what stands behind "this could not be
// checked against the knowledge base" (V7).
func (a *Answer) reason(why problem, want Locator, total int) string {
	switch why {
	case unknown:
		return "There is no document with this name."
	case image:
		return "It is an image, which has no lines to show."
	case badRange:
		return fmt.Sprintf("Lines %d–%d are not a range; the document has %s.", want.First, want.Last, countLines(total))
	case pastEnd:
		return fmt.Sprintf("Line %d is past its end: the document has %s.", want.First, countLines(total))
	case full:
		return fmt.Sprintf("It is over the limit of %s in one answer.", count(a.resolver.MaxBlocks, "block"))
	case deflected:
		return "The answer stands on no document, so none is shown in it."
	default:
		return "The knowledge base could not be read just then."
	}
}

func countLines(n int) string { return count(n, "line") }

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
