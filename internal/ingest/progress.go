package ingest

import (
	"sync"
	"time"
)

// Phases of a run.
const (
	PhaseOpen      = "open"      // sources are fetched and counted
	PhaseFiles     = "files"     // files are indexed
	PhaseSummaries = "summaries" // folders, sources and the whole are summed up
	PhaseVectors   = "vectors"   // the index over vectors is built
	PhaseReembed   = "reembed"   // every chunk gets a new vector; Files and Seen count chunks
)

// Progress is how far a run is.
type Progress struct {
	Phase   string `json:"phase"`
	Source  string `json:"source"`
	Current string `json:"current"` // path of the file dealt with last
	Files   int    `json:"total"`   // in scope, in all sources of the run; hides the count of those read
	Seen    int    `json:"seen"`    // of these, dealt with, whatever came of it
	Counts
	byName int           // skipped files that the count of those in scope doesn't have
	Rate   float64       `json:"rate"`   // files a second since the first
	ETA    time.Duration `json:"eta_ns"` // until the last file, by the rate; 0 when unknown
}

// tracker keeps a run's counts and tells its progress.
type tracker struct {
	mu    sync.Mutex
	now   Progress
	start time.Time
	emit  func(Progress)
}

// tell changes the progress and passes it on.
func (t *tracker) tell(change func(*Progress)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change(&t.now)
	c := &t.now.Counts
	c.Files = c.Added + c.Updated + c.Unchanged + c.Errors
	t.now.Seen = min(c.Files+c.Skipped-t.now.byName, t.now.Files) // files may appear after they were counted
	t.now.Rate, t.now.ETA = pace(t.now.Seen, t.now.Files-t.now.Seen, time.Since(t.start))
	if t.emit != nil {
		t.emit(t.now)
	}
}

// begin starts the clock of the rate, and says how many files there are.
func (t *tracker) begin(total int) {
	t.tell(func(p *Progress) {
		p.Phase, p.Source, p.Files = PhaseFiles, "", total
		t.start = time.Now()
	})
}

// snapshot is the progress as it is now.
func (t *tracker) snapshot() Progress {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.now
}

// event counts what became of a file.
func (r *run) event(w *walk, path string, count func(*Counts)) {
	r.progress.tell(func(p *Progress) {
		p.Source, p.Current = w.Name, path
		count(&w.counts)
		count(&p.Counts)
	})
}

// pace is the rate and what it says about the files that are left.
func pace(done, left int, elapsed time.Duration) (rate float64, eta time.Duration) {
	if done == 0 || elapsed <= 0 {
		return 0, 0
	}
	rate = float64(done) / elapsed.Seconds()
	return rate, time.Duration(float64(left) / rate * float64(time.Second))
}
