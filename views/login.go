package views

// LoginPage is the way in: a page of its own, and the gate that stands where the
// visitor may not go (AD1).
type LoginPage struct {
	Shell   Shell
	Heading string // "Log in", or what is behind the gate
	Text    string // one sentence: why, and how to get in
	Next    string // a local path to go to afterwards
	Error   string // beside the field
}
