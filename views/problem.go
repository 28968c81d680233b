package views

// ProblemPage says what happened, what it means and what to do: 404, 500 and the
// like. An Offline shell makes it the page for a database that is away (DEC31): it
// waits and goes on by itself.
type ProblemPage struct {
	Shell   Shell
	Status  int
	Heading string
	Text    string
	Actions []Link
}
