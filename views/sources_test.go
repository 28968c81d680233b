package views

import (
	"strings"
	"testing"
)

func TestTheTableSaysWhatItShows(t *testing.T) {
	for want, table := range map[string]DocumentTable{
		"No documents":                  {},
		"No document matches.":          {Text: "zzz"},
		"or in all sources.":            {Source: "homelab"},
		"1 document":                    {Total: 1, First: 1, Rows: make([]DocumentRow, 1)},
		"51–52 of 1\u202f200 documents": {Total: 1200, First: 51, Rows: make([]DocumentRow, 2)},
	} {
		if got := table.shown(); !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
}
