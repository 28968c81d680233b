package verbatim

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"bor/internal/kb"
)

// Locator names a document, or a range of its lines.
type Locator struct {
	Source string
	Path   string
	Ranged bool
	First  int // from 1; as written, when Ranged
	Last   int
}

// Identity names the locator's document.
func (l Locator) Identity() string { return l.Source + "/" + l.Path }

// String is the canonical form, the matching key: source/path for a whole
// document, source/path#12-40 for a range.
func (l Locator) String() string {
	if !l.Ranged {
		return l.Identity()
	}
	return fmt.Sprintf("%s#%d-%d", l.Identity(), l.First, l.Last)
}

// maxLocator bounds a locator in characters: the longest identity (a source's
// name of 120, a path of 1000) and a range.
const maxLocator = 120 + 1 + 1000 + 24

// rangeSuffix is a range after a path: " 12-40", ":12-40", "#12-40", "#L12-L40",
// or one line in the same forms; an en dash does for the hyphen.
var rangeSuffix = regexp.MustCompile(`(?s)^(.+?)(?:(?:[ \t]+|:)([0-9]+)(?:[-–]([0-9]+))?|#L?([0-9]+)(?:[-–]L?([0-9]+))?)$`)

// Readings are what text may mean, in the order in which they are to be looked
// up: first as the identity of a document, whatever it looks like, then with a
// range at its end (V3). Text that can't be a locator has none. Whether a range
// makes sense is not decided here.
func Readings(text string) []Locator {
	bare := strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '`' })
	if _, _, ok := kb.SplitIdentity(bare); !ok || kb.Chars(text) > maxLocator {
		return nil
	}
	var readings []Locator
	add := func(identity string, ranged bool, first, last int) {
		if source, path, ok := kb.SplitIdentity(identity); ok {
			readings = append(readings, Locator{source, path, ranged, first, last})
		}
	}
	if bare != text {
		add(text, false, 0, 0)
	}
	add(bare, false, 0, 0)
	if m := rangeSuffix.FindStringSubmatch(bare); m != nil {
		first, last := m[2]+m[4], m[3]+m[5]
		if last == "" {
			last = first
		}
		add(m[1], true, lineNumber(first), lineNumber(last))
	}
	return readings
}

// IsLocator tells whether text can name a place.
func IsLocator(text string) bool { return len(Readings(text)) > 0 }

// lineNumber reads digits; a number too big for any document stays too big.
func lineNumber(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil || n > math.MaxInt32 {
		return math.MaxInt32
	}
	return n
}
