package handlers

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"bor/internal/ingest"
	"bor/internal/registry"
	"bor/internal/syncjob"
)

func TestASyncsStreamEndsWithWhatHasChanged(t *testing.T) {
	s := newRegistrySite(t)
	c := s.signedIn()
	// Nothing runs: the end comes at once, for whoever connects late.
	body := s.get(c, "/sync/events").body
	for _, want := range []string{`<hx-part to="#sync-state" as="outerMorph">`, `<hx-part to="#registry-list"`, `<hx-part to="#source-stats"`, `<hx-part to="#sync-action"`, "event: done\n"} {
		if !strings.Contains(body, want) {
			t.Errorf("it lacks %s: %s", want, body)
		}
	}
	s.wantRedirect(s.post(c, "/sync", nil), "/git-sources")
	body = s.get(c, "/sync/events").body
	if !strings.Contains(body, "event: done\n") || !strings.Contains(body, "The last sync ended well") {
		t.Errorf("%s", body)
	}
	if strings.Contains(body, "hx-get") || strings.Contains(body, "hx-post") {
		t.Error("the stream carries behaviour")
	}
}

func TestASecondSyncIsRefusedWithWhoRunsSinceWhen(t *testing.T) {
	s := newSite(t, answerer{"text"}, nil) // nobody works
	c := s.signedIn()
	s.wantRedirect(s.post(c, "/sync", nil), "/git-sources")
	if body := s.get(c, "/git-sources").body; !strings.Contains(body, "about to begin") || len(find(t, body, "hx-sse:connect", "/sync/events")) != 1 || !strings.Contains(body, `http-equiv="refresh"`) {
		t.Errorf("%s", body)
	}
	if got := s.post(c, "/sync", nil); got.status != http.StatusConflict || !strings.Contains(got.body, "An import is going on already") {
		t.Errorf("%d: %s", got.status, got.body)
	}
	s.wantRedirect(s.post(c, "/sync/stop", nil), "/git-sources")
}

func TestASyncInWords(t *testing.T) {
	now := time.Now()
	run := func(change func(*syncjob.Status)) syncjob.Status {
		s := syncjob.Status{Status: ingest.Status{Run: 1, State: ingest.Running, Owner: "gufo, process 7", Started: now.Add(-time.Hour), Ended: now}}
		change(&s)
		return s
	}
	for name, c := range map[string]struct {
		status           syncjob.Status
		headline, detail string
		tone, lines      string
	}{
		"never":    {syncjob.Status{}, "", "", "", ""},
		"waiting":  {syncjob.Status{Waiting: true}, "A sync is about to begin", "", "", ""},
		"begun":    {run(func(s *syncjob.Status) {}), "A sync begins", "", "", ""},
		"fetching": {run(func(s *syncjob.Status) { s.Progress = ingest.Progress{Phase: ingest.PhaseOpen, Source: "lab"} }), "Fetching lab", "", "", ""},
		"files": {run(func(s *syncjob.Status) {
			s.Progress = ingest.Progress{Phase: ingest.PhaseFiles, Source: "lab", Files: 10, Seen: 4, Rate: 46.4, ETA: 90 * time.Second}
		}), "Syncing lab", "4 of 10 files · 46/s · about 2 min left", "", ""},
		"no file":   {run(func(s *syncjob.Status) { s.Progress = ingest.Progress{Phase: ingest.PhaseFiles}; s.Stopping = true }), "Syncing", "0 of 0 files · stopping after this document", "", ""},
		"summaries": {run(func(s *syncjob.Status) { s.Progress.Phase = ingest.PhaseSummaries }), "Summing up folders and sources", "", "", ""},
		"vectors":   {run(func(s *syncjob.Status) { s.Progress.Phase = ingest.PhaseVectors }), "Preparing the search", "", "", ""},
		"reembed":   {run(func(s *syncjob.Status) { s.Progress = ingest.Progress{Phase: ingest.PhaseReembed, Files: 9, Seen: 3} }), "Making new embeddings", "3 of 9 chunks", "", ""},
		"done":      {run(func(s *syncjob.Status) { s.State = ingest.Done }), "The last sync ended well", "nothing has changed", "", ""},
		"stopped":   {run(func(s *syncjob.Status) { s.State, s.Stopping = ingest.Stopped, true }), "The last sync was stopped", "stays", "warn", ""},
		"shut down": {run(func(s *syncjob.Status) { s.State = ingest.Stopped }), "ended with its server", "stays", "warn", ""},
		"crashed":   {run(func(s *syncjob.Status) { s.State = ingest.Crashed }), "ended by a crash", "gufo, process 7", "error", ""},
		"failed": {run(func(s *syncjob.Status) {
			s.State = ingest.Failed
			s.Report = ingest.Report{Error: "the model is away", Sources: []ingest.SourceReport{{Name: "a", State: ingest.Failed, Error: "no such host"}, {Name: "b", State: ingest.Done}},
				Problems: make([]ingest.Problem, 10), Notes: []string{"a note"}, Counts: ingest.Counts{Added: 1, Errors: 10}}
		}), "The last sync failed for 1 of 2 sources", "1 added, 10 failed", "error", "the model is away|a: no such host. Its documents stay as they are. Put right what is wrong; the next sync tries it again.|/: |/: |/: |/: |/: |/: |and 5 more, which the log has"},
		"a source failed": {run(func(s *syncjob.Status) {
			s.State = ingest.Failed
			s.Report = ingest.Report{Sources: []ingest.SourceReport{{Name: "a", State: ingest.Failed, Error: "no such host.", Counts: ingest.Counts{Added: 1}}, {Name: "b", State: ingest.Failed, Error: "gone"}}}
		}), "failed for 2 of 2 sources", "the documents stay as they are", "error",
			"a: no such host. What was indexed before that stays, and its other documents stay as they are. Put right what is wrong; the next sync tries it again.|b: gone. Its documents stay as they are. Put right what is wrong; the next sync tries it again."},
		"the model is away": {run(func(s *syncjob.Status) { s.State, s.Report.Error = ingest.Failed, "away" }), "The last sync failed", "the documents stay as they are", "error", "away"},
		"reembedded":        {run(func(s *syncjob.Status) { s.State, s.Report.Reembed = ingest.Done, true }), "All vectors were made anew", "reads no source", "", ""},
		"reembed stopped":   {run(func(s *syncjob.Status) { s.State, s.Report.Reembed = ingest.Stopped, true }), "Making new vectors was stopped", "goes on", "warn", ""},
		"reembed crashed":   {run(func(s *syncjob.Status) { s.State, s.Progress.Phase = ingest.Crashed, ingest.PhaseReembed }), "Making new vectors ended by a crash", "gufo, process 7", "error", ""},
		"reembed failed": {run(func(s *syncjob.Status) {
			s.State, s.Report = ingest.Failed, ingest.Report{Reembed: true, Error: "away"}
		}), "Making new vectors failed", "goes on", "error", "away"},
	} {
		v := syncView(c.status, now)
		if v.Headline != c.headline && (c.headline == "" || !strings.Contains(v.Headline, c.headline)) || !strings.Contains(v.Detail, c.detail) || v.Tone != c.tone || strings.Join(v.Lines, "|") != c.lines || v.Busy != c.status.Busy() {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// A failed source says what that means for its documents, never that all is as it
// should be.
func TestAFailedSourcesRow(t *testing.T) {
	last := registry.Outcome{State: ingest.Failed, Error: "no such host"}
	row := sourceRows([]registry.Source{{Name: "a", Last: last}}, time.Now())[0]
	if row.Counts != "" || row.Error != "no such host. Its documents stay as they are. Put right what is wrong; the next sync tries it again." {
		t.Errorf("%q, %q", row.Error, row.Counts)
	}
	last.Updated = 2
	row = sourceRows([]registry.Source{{Name: "a", Last: last}}, time.Now())[0]
	if row.Counts != "2 updated" || !strings.Contains(row.Error, "What was indexed before that stays") {
		t.Errorf("%q, %q", row.Error, row.Counts)
	}
}

func TestTimesAsPeopleSayThem(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for d, want := range map[time.Duration]string{time.Second: "just now", -time.Hour: "just now", 4 * time.Minute: "4 min ago", 61 * time.Minute: "1 hour ago", 5 * time.Hour: "5 hours ago", 30 * time.Hour: "1 day ago", 100 * time.Hour: "4 days ago"} {
		if got := moment(now.Add(-d), now); got.Text != want || got.ISO == "" {
			t.Errorf("%v: %+v", d, got)
		}
	}
	if got := moment(time.Time{}, now); got.Text != "never" || got.Exact != "" {
		t.Errorf("%+v", got)
	}
	for d, want := range map[time.Duration]string{time.Millisecond: "1 s", 59 * time.Second: "59 s", 90 * time.Second: "2 min", 3*time.Hour + 5*time.Minute: "3 h 5 min"} {
		if got := span(d); got != want {
			t.Errorf("%v: %q", d, got)
		}
	}
}
