package views

import "strconv"

// Panel is a verbatim block as it stands in an answer (V8). Everything in it comes
// from the turn's stored block.
type Panel struct {
	Locator  string // canonical
	Identity string // source/path
	Start    int    // first line shown
	End      int    // last line shown
	Total    int    // lines of the document
	Part     string // what of the line is shown, when it is one cut line: "first 12000 of 80120 characters"
	Lines    []CodeLine
	SHA256   string // hex, of the bytes
	Revision string // of the source, may be empty
	Origin   string // these lines at the revision on the web, may be empty
	OpenURL  string // the viewer at this range
	RawURL   string // the stored bytes as plain text

	// Set when a cap cut the block (V4, DEC4).
	Cut         string // the mark that says so
	CopyWhat    string // what Copy copies: "lines 1–310 of 1842"
	WholeURL    string // the whole document, in the viewer and raw
	WholeRawURL string

	Encoding string // what the text was decoded from, when not UTF-8
}

// Unresolved is the honest state of a fence (V7).
type Unresolved struct {
	Asked  string // what the model named
	Reason string // why it can't be shown
	URL    string // of the document, when it exists
}

func (p Panel) caption() string {
	switch {
	case p.Total == 0:
		return "empty document"
	case p.Part != "":
		return p.Part + " of line " + strconv.Itoa(p.Start)
	case p.Start == p.End:
		return "line " + strconv.Itoa(p.Start) + " of " + strconv.Itoa(p.Total)
	default:
		return "lines " + strconv.Itoa(p.Start) + "–" + strconv.Itoa(p.End) + " of " + strconv.Itoa(p.Total)
	}
}

func (p Panel) copyLabel() string {
	if p.CopyWhat == "" {
		return "Copy"
	}
	return "Copy " + p.CopyWhat
}

// shortHash is the first and last four digits: enough to compare by eye.
func (p Panel) shortHash() string {
	if len(p.SHA256) < 12 {
		return p.SHA256
	}
	return p.SHA256[:8] + "…" + p.SHA256[len(p.SHA256)-4:]
}

// shortRevision is the usual length of a commit's name.
func (p Panel) shortRevision() string {
	if len(p.Revision) > 12 {
		return p.Revision[:12]
	}
	return p.Revision
}
