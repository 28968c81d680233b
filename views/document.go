package views

import "strconv"

// DocumentPage is the viewer as a page (CH9).
type DocumentPage struct {
	Shell    Shell
	Document Document
}

// Document is the viewer's content: as a page, and in the window over the chat.
type Document struct {
	Source string
	Path   string
	Title  string
	Gone   bool    // it no longer exists, or never did: nothing below is set
	Image  *Figure // of an image document, which has no text

	Rendered SafeHTML   // a rendered document; empty for the code view
	Lines    []CodeLine // the code view's page
	First    int        // first and last line of the page
	Last     int
	Total    int

	RenderedURL string // the other views of the same document; empty when there is none
	CodeURL     string
	PreviousURL string // the pages beside this one
	NextURL     string
	RawURL      string
	Origin      *Link  // at the forge, at the indexed revision
	Summary     string // may be empty
	Meta        []Fact
}

// Fact is one row of what is known about a document.
type Fact struct {
	Name  string
	Value string
	Mono  bool
}

func (d Document) identity() string { return d.Source + "/" + d.Path }

func (d Document) heading() string {
	if d.Title != "" {
		return d.Title
	}
	return d.Path
}

func (d Document) lineRange() string {
	if d.Image != nil {
		return strconv.Itoa(d.Image.Width) + " × " + strconv.Itoa(d.Image.Height) + " pixels"
	}
	if d.Total == 0 {
		return "empty document"
	}
	if d.First <= 1 && d.Last >= d.Total {
		return count(d.Total, "line", "lines")
	}
	return "lines " + strconv.Itoa(d.First) + "–" + strconv.Itoa(d.Last) + " of " + strconv.Itoa(d.Total)
}

func documents(n int) string { return count(n, "document", "documents") }

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
