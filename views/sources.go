package views

import "strconv"

// SourcesPage is what the knowledge base holds (AD2).
type SourcesPage struct {
	Shell   Shell
	Stats   SourceStats
	Sync    Sync
	Table   DocumentTable
	Skipped []SkippedCount
}

// SourceStats are the numbers in the cards.
type SourceStats struct {
	Documents int
	Chunks    int
	Skipped   int
	Last      Moment
}

// SkippedCount leads to a source's list of skipped files.
type SkippedCount struct {
	Source string
	Files  int
	URL    string
}

// DocumentTable is a page of the table of documents.
type DocumentTable struct {
	Text    string // searched for
	Source  string // filtered by; empty: all
	Sources []string
	Order   string // the columns' names are the orders
	Down    bool
	Columns []Column
	Rows    []DocumentRow
	Total   int
	First   int // number of the first row shown, from 1
	// PreviousURL and NextURL are the pages beside; empty when there is none.
	PreviousURL string
	NextURL     string
}

// Column is a head of a table.
type Column struct {
	Label string
	URL   string // sorts by it, or turns the order round
	Sort  string // aria-sort: ascending, descending, or empty
	Num   bool
}

// DocumentRow is a document in the table.
type DocumentRow struct {
	Source, Path, Title string
	Lines, Chunks       int
	Indexed             Moment
	URL                 string
	SummaryURL          string
	Edited              bool // its summary
}

func (t DocumentTable) shown() string {
	switch {
	case t.Total == 0 && (t.Text != "" || t.Source != ""):
		return "No document matches. Search for less of its path or title, or in all sources."
	case t.Total == 0:
		return "No documents"
	case len(t.Rows) == t.Total:
		return count(t.Total, "document", "documents")
	}
	return strconv.Itoa(t.First) + "–" + strconv.Itoa(t.First+len(t.Rows)-1) + " of " + number(t.Total) + " documents"
}

// SkippedPage lists what a source's syncs left out.
type SkippedPage struct {
	Shell   Shell
	Source  string
	Files   []SkippedFile
	Total   int
	Pager   Pager
	EditURL string
}

// SkippedFile is a file with the reason why it isn't indexed.
type SkippedFile struct{ Path, Reason string }

// Pager leads to the pages beside; empty addresses lead nowhere.
type Pager struct {
	Text, PreviousURL, NextURL string
}

// SummaryPage edits a document's summary.
type SummaryPage struct {
	Shell    Shell
	Source   string
	Path     string
	Title    string
	Field    Field
	Edited   bool
	Problem  string // of the whole form
	Done     string // what was just done
	Document string // its address
}
