package handlers

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"bor/internal/fault"
	"bor/internal/ingest"
	"bor/internal/syncjob"
	"bor/views"
)

// syncTick is how often a page hears of a sync; the run tells as often.
const syncTick = 500 * time.Millisecond

// maxLines bounds what a page lists of a run's notes and problems.
const maxLines = 8

// startSync asks for a sync and shows the registry, where it can be watched.
func (s *Server) startSync(c echo.Context) error {
	err := s.Syncs.Start(c.Request().Context())
	if fault.CodeOf(err) == fault.Conflict {
		return s.showRegistryWith(c, http.StatusConflict, registryState{problem: fault.PublicOf(err)})
	}
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/git-sources")
}

// stopSync asks for the end of the run, whichever process it is in.
func (s *Server) stopSync(c echo.Context) error {
	err := s.Syncs.Stop(c.Request().Context())
	if err != nil && fault.CodeOf(err) != fault.Conflict { // it has ended by itself: as was wanted
		return err
	}
	return c.Redirect(http.StatusSeeOther, "/git-sources")
}

// streamSync sends how far the sync is until it ends, then what it has changed.
// The state is the database's, so that any process can tell of a run in any other.
func (s *Server) streamSync(c echo.Context) error {
	who := s.visitor(c)
	if !s.streams.enter(who.Session) {
		return fault.New(fault.Limited, "Too many pages are open at once in this browser. Close some of the tabs and reload.")
	}
	defer s.streams.leave(who.Session)
	ctx, cancel := context.WithCancel(c.Request().Context())
	defer cancel()
	defer context.AfterFunc(s.closing, cancel)()
	s.followSync(ctx, beginStream(c), s.token(c))
	return nil
}

func (s *Server) followSync(ctx context.Context, out *eventWriter, token string) {
	tick := time.NewTicker(syncTick)
	defer tick.Stop()
	var sent []byte
	var last, alive time.Time
	for seq := int64(1); out.err == nil; {
		message, ended, err := s.syncMessage(ctx)
		switch {
		case err != nil && !s.Away(err):
			return // the browser comes back and asks anew
		case err != nil: // the database is away: so is the state
		case ended:
			out.message(seq, message)
			out.event(seq, "done")
			return
		case !bytes.Equal(message, sent):
			out.message(seq, message)
			sent, last = message, time.Now()
			seq++
		}
		if time.Since(last) > keepAlive {
			out.comment()
			last = time.Now()
		}
		if time.Since(alive) > aliveEvery {
			if err := s.Sessions.Alive(ctx, token); err != nil && !s.Away(err) {
				return
			}
			alive = time.Now()
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// syncMessage renders what a page should know now.
func (s *Server) syncMessage(ctx context.Context) (message []byte, ended bool, err error) {
	status, err := s.Syncs.Status(ctx)
	if err != nil {
		return nil, false, err
	}
	now := time.Now()
	update := views.SyncUpdate{Sync: syncView(status, now), Ended: !status.Busy()}
	if update.Ended {
		list, err := s.Sources.List(ctx)
		if err != nil {
			return nil, false, err
		}
		update.List = sourceRows(list, now)
		if update.Stats, err = s.sourceStats(ctx, list, now); err != nil {
			return nil, false, err
		}
	}
	var b bytes.Buffer
	err = views.SyncMessage(update).Render(context.WithoutCancel(ctx), &b)
	return b.Bytes(), update.Ended, err
}

// syncView is the state of the sync in words.
func syncView(s syncjob.Status, now time.Time) views.Sync {
	switch {
	case s.Waiting:
		return views.Sync{Busy: true, Waiting: true, Headline: "A sync is about to begin", Announce: "A sync is about to begin."}
	case s.State == ingest.Running:
		return runningView(s)
	case s.Run == 0:
		return views.Sync{}
	}
	if s.Reembeds() {
		return reembedView(s, now)
	}
	v := views.Sync{At: moment(s.Ended, now)}
	r := s.Report
	switch s.State {
	case ingest.Done:
		v.Headline, v.Detail = "The last sync ended well", changes(r.Counts)
	case ingest.Stopped:
		v.Headline, v.Tone = "The last sync was stopped", "warn"
		if v.Detail = "what it had indexed stays, and the next one goes on from there"; !s.Stopping {
			v.Headline = "The last sync ended with its server"
		}
	case ingest.Crashed:
		v.Headline, v.Tone = "The last sync ended by a crash", "error"
		v.Detail = "of " + s.Owner + "; nothing is half done, and the next one goes on from there"
	default:
		v.Headline, v.Tone, v.Detail = failedView(r)
		if r.Error != "" {
			v.Lines = append(v.Lines, r.Error)
		}
		for _, source := range r.Sources {
			if source.State == ingest.Failed && source.Error != r.Error {
				v.Lines = append(v.Lines, source.Name+": "+strings.TrimSuffix(source.Error, ".")+". "+source.AfterFailure())
			}
		}
	}
	for _, p := range r.Problems {
		v.Lines = append(v.Lines, p.Source+"/"+p.Path+": "+p.Reason)
	}
	v.Lines = append(v.Lines, r.Notes...)
	if more := len(v.Lines) - maxLines; more > 0 {
		v.Lines = append(v.Lines[:maxLines], fmt.Sprintf("and %d more, which the log has", more))
	}
	v.Announce = v.Headline + "."
	return v
}

// failedView is the headline, tone and detail of a sync that failed: how much of it.
func failedView(r ingest.Report) (headline, tone, detail string) {
	headline, detail = "The last sync failed", tally(r.Counts)
	failed := 0
	for _, source := range r.Sources {
		if source.State == ingest.Failed {
			failed++
		}
	}
	if failed > 0 {
		headline = fmt.Sprintf("The last sync failed for %d of %d sources", failed, len(r.Sources))
	}
	if detail == "" {
		detail = "the documents stay as they are"
	}
	return headline, "error", detail
}

// reembedView tells of a `bor reembed` that has ended, which was no sync.
func reembedView(s syncjob.Status, now time.Time) views.Sync {
	v := views.Sync{At: moment(s.Ended, now)}
	const goesOn = "what is made stays, and bor reembed goes on from there"
	switch s.State {
	case ingest.Done:
		v.Headline, v.Detail = "All vectors were made anew", "by bor reembed, which reads no source"
	case ingest.Stopped:
		v.Headline, v.Tone, v.Detail = "Making new vectors was stopped", "warn", goesOn
	case ingest.Crashed:
		v.Headline, v.Tone, v.Detail = "Making new vectors ended by a crash", "error", "of "+s.Owner+"; "+goesOn
	default:
		v.Headline, v.Tone, v.Detail = "Making new vectors failed", "error", goesOn
		v.Lines = []string{s.Report.Error}
	}
	v.Announce = v.Headline + "."
	return v
}

func runningView(s syncjob.Status) views.Sync {
	p := s.Progress
	v := views.Sync{Busy: true, Stopping: s.Stopping, Headline: "A sync begins"}
	var parts []string
	switch p.Phase {
	case ingest.PhaseOpen:
		v.Headline = "Fetching " + p.Source
	case ingest.PhaseFiles:
		v.Headline, v.Seen, v.Total, v.Current = "Syncing "+p.Source, p.Seen, p.Files, p.Current
		if p.Source == "" {
			v.Headline = "Syncing"
		}
		parts = append(parts, fmt.Sprintf("%d of %d files", p.Seen, p.Files))
		if p.Rate >= 1 {
			parts = append(parts, fmt.Sprintf("%.0f/s", p.Rate))
		}
		if p.ETA > 0 {
			parts = append(parts, "about "+span(p.ETA)+" left")
		}
	case ingest.PhaseSummaries:
		v.Headline = "Summing up folders and sources"
	case ingest.PhaseVectors:
		v.Headline = "Preparing the search"
	case ingest.PhaseReembed:
		v.Headline, v.Seen, v.Total = "Making new embeddings", p.Seen, p.Files
		parts = append(parts, fmt.Sprintf("%d of %d chunks", p.Seen, p.Files))
	}
	v.Announce = v.Headline + "."
	if s.Stopping {
		parts = append(parts, "stopping after this document")
		v.Announce = "The sync is stopping."
	}
	v.Detail = strings.Join(parts, " · ")
	return v
}

// changes are the counts of what ended well, in words.
func changes(c ingest.Counts) string {
	return cmp.Or(tally(c), "nothing has changed")
}

// tally is what the counts say, nothing if all are zero.
func tally(c ingest.Counts) string {
	var parts []string
	for _, p := range []struct {
		n    int
		word string
	}{{c.Added, "added"}, {c.Updated, "updated"}, {c.Pruned, "removed"}, {c.Errors, "failed"}, {c.Skipped, "left out"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.word))
		}
	}
	return strings.Join(parts, ", ")
}
