package storybook

import (
	"net/url"
	"strings"

	"bor/handlers"
	"bor/internal/kb"
	"bor/views"
)

// document is the viewer at a document, as an address with that query asks for it.
func document(d kb.Document, query string) View {
	return shown(viewed(d, query))
}

func viewed(d kb.Document, query string) views.Document {
	asked, err := url.ParseQuery(query)
	if err != nil {
		panic(err) // the queries of the stories can be read
	}
	return handlers.ViewDocument(d, asked, nil)
}

func shown(d views.Document) View { return page(views.DocumentViewer, views.DocumentPage{Document: d}) }

func documents() []Story {
	const group = "Document viewer"
	notes := stored("notes/gufo.md", "All about the owl", feastText+feastEnd+"\n![the nest](nest.png) [its script](../scripts/backup.sh#L3)\n")
	log := stored("logs/ups-events.log", "", strings.Repeat("2026-03-14 04:00:00 ups event: battery at 97 percent\n", 4500))
	bare := stored("scripts/backup.sh", "", scriptText)
	bare.Revision, bare.Summary, bare.Date = "", "", bare.Indexed
	utf16 := stored("windows/hosts.ini", "", "[hosts]\r\nname=Käuzchen\r\n")
	utf16.Encoding = "utf-16le"
	picture := stored("photos/nest.jpg", "The nest", "")
	picture.Kind = kb.KindImage
	forge := viewed(script, "")
	forge.Origin = &views.Link{Text: "At the forge", URL: "https://forge.example/homelab/blob/e41b07c/scripts/backup.sh", Title: "The file at the indexed commit"}
	return []Story{
		{"document-markdown", group, "A rendered document.", document(notes, "")},
		{"document-markdown-lines", group, "The same as lines.", document(notes, "view=lines")},
		{"document-code", group, "Lines with colours, the origin and what is known.", shown(forge)},
		{"document-range", group, "A range is marked.", document(script, "lines=3-6")},
		{"document-range-missing", group, "A range past the end marks nothing.", document(script, "lines=90-95")},
		{"document-page", group, "A page of a long document.", document(log, "page=2")},
		{"document-bare", group, "Nothing is known about it.", document(bare, "")},
		{"document-utf16", group, "Decoded, with CR LF.", document(utf16, "")},
		{"document-empty", group, "No bytes.", document(stored("empty.conf", "", ""), "")},
		{"document-controls", group, "Controls and odd characters.", document(stored(worldPath+".txt", "", controls), "")},
		{"document-deep", group, "A deep path, a long title, a line of 20 000 characters.", document(stored(deepPath, strings.Repeat("A title that goes on ", 24), strings.Repeat("wide ", 4000)), "")},
		{"document-world", group, "Right to left, emoji.", document(stored(worldPath, rtl, "# "+rtl+"\n\n"+rtl+"\n\n- "+rtl+"\n"), "")},
		{"document-image", group, "An image whose file hasn’t been read.", document(picture, "")},
		{"document-gone", group, "No such document.", shown(views.Document{Source: "homelab", Path: "gone/" + deepPath, Gone: true})},
	}
}
