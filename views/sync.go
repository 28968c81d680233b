package views

// Sync is what a page shows of the sync that goes on, or of the last one.
type Sync struct {
	Busy     bool
	Waiting  bool // it hasn't begun: there is nothing to stop yet
	Stopping bool
	Tone     string // "", "error" or "warn"
	Headline string
	Detail   string // how far, how fast, how long still
	Current  string // path of the file at hand
	Seen     int
	Total    int    // 0: not known yet
	Announce string // for assistive technology: changes seldom
	Lines    []string
	At       Moment // when it ended
}

// SyncUpdate is a message of the stream: the state, and at the end what else of
// the pages has changed.
type SyncUpdate struct {
	Sync  Sync
	Ended bool
	Stats SourceStats
	List  []SourceRow
}
