package ingest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"bor/internal/lexical"
)

// TestTheTokenisersLiteralsAreValid: whatever a document or a question holds,
// PostgreSQL reads what was meant, and a text finds itself.
func TestTheTokenisersLiteralsAreValid(t *testing.T) {
	b := newBench(t)
	for _, text := range []string{
		"", "it's 'quoted' \\ back", "a:b|c&d!e<->f(g)*h:*A", "名前 ไทย 컨테이너", "Home Assistant's \"AdGuard Home\" or `x.y_z`",
		strings.Repeat("Aa.b_c-D/", 3000), strings.Repeat("word ", 20000), "\u0301 \u200b ﬁ İ ẞ 𝔘𝔫𝔦", "'''", `C:\dir\file.txt 10.0.0.1/24`,
	} {
		index := lexical.NewIndex(lexical.Chunk{Title: text, Path: text, Heading: text, Text: text})
		if got := b.rows("SELECT ARRAY(SELECT t COLLATE \"C\" FROM unnest(tsvector_to_array($1::text::tsvector)) t ORDER BY 1) = $2", index.Vector, append([]string{}, index.Terms...)); !slices.Equal(got, []string{"true"}) {
			t.Errorf("%.40q: PostgreSQL reads other terms than %.200q", text, index.Terms)
		}
		terms := lexical.Terms(text)
		if got := b.rows("SELECT $1::text::tsvector @@ $2::text::tsquery", index.Vector, lexical.Query(terms)); !slices.Equal(got, []string{fmt.Sprint(len(terms) > 0)}) {
			t.Errorf("%.40q doesn't find itself", text)
		}
		for _, thing := range lexical.Things(text) {
			if got := b.rows("SELECT $1::text::tsvector @@ $2::text::tsquery", index.Vector, thing.Query); !slices.Equal(got, []string{"true"}) {
				t.Errorf("%.40q doesn't hold its own %.40q: %.200s", text, thing.Text, thing.Query)
			}
		}
	}
}
