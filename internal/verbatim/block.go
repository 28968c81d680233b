package verbatim

// Block is a slice of a document as it was when a turn showed it: the record's
// own copy, which panels, Raw, Copy and the hash are made from ever after (V6,
// V8). Text holds exact bytes and never a truncation mark.
type Block struct {
	Source     string `json:"source"`
	Path       string `json:"path"`
	Title      string `json:"title"`
	StartLine  int    `json:"start_line"`
	EndLine    int    `json:"end_line"` // the last line shown in full or begun
	TotalLines int    `json:"total_lines"`
	Text       string `json:"text"`
	Truncated  bool   `json:"truncated"`
	Locator    string `json:"locator"` // canonical, after clamping and before the cap (DEC9)
	SHA256     string `json:"sha256"`  // hex, of Text
	Revision   string `json:"revision,omitempty"`
	Origin     string `json:"origin,omitempty"`     // address of these lines at Revision on the web, when known
	Date       string `json:"date,omitempty"`       // the document's day, YYYY-MM-DD, when known
	Encoding   string `json:"encoding,omitempty"`   // set when Text was decoded, as from UTF-16
	LineChars  int    `json:"line_chars,omitempty"` // set when StartLine alone was cut: its true length in characters
	AskedEnd   int    `json:"asked_end,omitempty"`  // set when the cap cut: the last line that was asked for
}

// Fence is what one locator fence of an answer became: a block, named by its
// locator, or the honest state with its reason (V7, DEC9).
type Fence struct {
	Locator string `json:"locator,omitempty"` // of the block; empty when unresolved
	Asked   string `json:"asked,omitempty"`   // what the model named, when unresolved
	Reason  string `json:"reason,omitempty"`  // why, when unresolved: words for people
	Source  string `json:"source,omitempty"`  // the document to link to, when unresolved and it exists
	Path    string `json:"path,omitempty"`
	Block   *Block `json:"block,omitempty"` // only in the event that first shows the block
}
