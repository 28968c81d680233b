package markdown

import (
	"slices"
	"strings"
	"testing"
)

func TestFileLinks(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []FileLink
	}{
		"none": {"# A\n\ntext `![no](x.png)`\n\n```\n![no](y.png)\n```\n", nil},
		"in a paragraph": {"# Network\n\nThe *rack* has two switches and one router, as the\n![rack plan](img/rack%20plan.png \"title\") shows.\n", []FileLink{
			{"img/rack%20plan.png", "rack plan", "Network\nThe rack has two switches and one router, as the rack plan shows."}}},
		"alone": {"## DNS\n\nBefore it.\n\n![](a.png)\n\nAfter it.\n\n## Other\n\nfar away\n", []FileLink{
			{"a.png", "", "DNS\nBefore it.\nAfter it."}}},
		"alone under a heading": {"# T\n\nfar\n\n## DNS\n\n![The *zones*](a.png)\n", []FileLink{{"a.png", "The zones", "DNS\nThe zones"}}},
		"in a list, a table and a link": {"- item with a long enough text beside its image ![one](1.png)\n\n| a | b |\n|---|---|\n| a row of a table with more than enough words | ![two](2.png) |\n\n[![three](3.png)](3-large.png) and a paragraph that is long enough to stand alone\n", []FileLink{
			{"1.png", "one", "item with a long enough text beside its image one"},
			{"2.png", "two", "a row of a table with more than enough words two"},
			{"3-large.png", "three", "three and a paragraph that is long enough to stand alone"},
			{"3.png", "three", "three and a paragraph that is long enough to stand alone"}}},
		"by reference":       {"See ![the plan][p], which is drawn anew every year in January.\n\n[p]: <plans/new plan.png>\n", []FileLink{{"plans/new plan.png", "the plan", "See the plan, which is drawn anew every year in January."}}},
		"after front matter": {"---\ntitle: x\n---\n![y](y.png)\r\n", []FileLink{{"y.png", "y", "y"}}},
		"refused addresses":  {"![a](<a\\\\b.png>) ![b]() ![c](c&#9;d.png)\n", nil},
	} {
		got := FileLinks(c.text)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%q\nwant\n%q", name, got, c.want)
		}
	}
}

func FuzzFileLinks(f *testing.F) {
	for _, text := range []string{"# a\n![b](c.png)\n", "[a](b", "---\nx: y\n---\n- ![](a)\n", "|a|\n|-|\n|![x](y)|\n", "\uFEFF\x00\xff![\xff](\xff)"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, l := range FileLinks(text) {
			if l.Dest == "" || strings.Contains(l.Description, "\n") || strings.ContainsAny(l.Dest, "\n\t\\") {
				t.Fatalf("%q has the link %q", text, l)
			}
		}
	})
}
