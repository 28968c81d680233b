package views

// ChatPage is the conversation with its composer: the product's first page.
type ChatPage struct {
	Shell       Shell
	Exchanges   []Exchange // oldest first; none shows the empty state
	Composer    Composer
	Suggestions []string // of the empty state (CH8)
	Welcome     string   // the empty state's heading
	Intro       string   // and what may be asked
	Model       string   // which model answers, when that needs saying; may be empty
}

// Exchange is a question and its answer.
type Exchange struct {
	Question string
	Turn     TurnPanel
	// EventsURL is where the running turn's events come from, with ?after=N for
	// what Turn shows already; empty when the turn has ended (DEC6).
	EventsURL string
}

// Composer is the form that asks. Send, Stop and every Retry are submit buttons of
// this one form: they share its fields and work without script (DEC8).
type Composer struct {
	Conversation string // empty for a conversation that starts with this question
	SubmitID     string // random: the same one starts nothing twice (DEC12)
	StopURL      string // of the running turn; empty when none runs
	Draft        string // what the box holds, after a refusal or from a suggestion
	Placeholder  string
	Error        string // beside the box
	Disabled     bool   // the knowledge base is offline
}

// Submitted answers a question that htmx posted: the new exchange, and what
// changes around it.
type Submitted struct {
	Nonce    string
	Exchange Exchange
	Composer Composer // with the next SubmitID
}

// frame is the page's shell. A running answer's page, loaded again, comes back to
// the answer: its age makes each address another one.
func (p ChatPage) frame() Shell {
	if n := len(p.Exchanges); n > 0 && p.Shell.RefreshURL == "" {
		last := p.Exchanges[n-1].Turn
		p.Shell.RefreshURL = "/c/" + p.Composer.Conversation + "?age=" + last.age() + "#" + last.ID
	}
	return p.Shell
}
