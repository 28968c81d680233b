package views

// Card is what a tool call brought, unfolded from its line of the trace (AG8). One
// of the kinds is set; Text alone is the generic card, for a result without a
// structure, or with one that can't be read.
type Card struct {
	Title string // of the page that shows it without script
	Read  *ReadCard
	Grep  *GrepCard
	List  *ListCard
	Show  *ShowCard
	Text  string
}

// ReadCard is a window of a document.
type ReadCard struct {
	Identity  string
	Range     string // "lines 12–40 of 218"
	OpenURL   string
	Lines     []CodeLine
	Truncated string
}

// GrepCard is a list of matching lines.
type GrepCard struct {
	Pattern string
	Count   string // "20 of 57"
	Matches []GrepMatch
}

// GrepMatch is one matching line, with a link to it.
type GrepMatch struct {
	Identity string
	Number   int
	Text     string
	URL      string
}

// ListCard is a level of the tree of documents.
type ListCard struct {
	Path string
	Rows []ListRow
	More int // rows that are not shown
}

// ListRow is a source, a folder or a document. URL is set for documents.
type ListRow struct {
	Path    string
	Title   string
	Count   int
	Summary string
	URL     string
}

// ShowCard points to the panel that a call registered.
type ShowCard struct {
	Locator string
	URL     string // of the panel on its page
}

// CardPage shows a card to a browser without script.
type CardPage struct {
	Shell Shell
	Card  Card
	Back  string // address of the conversation
}
