package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"bor/db"
)

// pollEvery is how often a reader asks the database when no notification came,
// and how often an owner looks for stop requests (DEC11).
const pollEvery = 500 * time.Millisecond

// Follower reads one turn. Record and Seq are the turn as it was when the
// follower began; Next goes on from there.
type Follower struct {
	Record Record
	Seq    int64

	next  func(context.Context) ([]Event, error)
	close func()
	leave func()
}

// Next waits for more events and returns them in order. io.EOF comes after the
// terminal event; a turn that had already ended gives it at once.
func (f *Follower) Next(ctx context.Context) ([]Event, error) { return f.next(ctx) }

// Close releases what the follower holds.
func (f *Follower) Close() {
	if f.close != nil {
		f.close()
	}
	if f.leave != nil {
		f.leave()
	}
}

// Follow reads a turn of the visitor's, wherever it runs. Until Close the turn has
// a reader.
func (s *Service) Follow(ctx context.Context, who Visitor, turn int64) (*Follower, error) {
	row, err := s.turnRow(ctx, who, turn)
	if err != nil {
		return nil, err
	}
	leave := s.readers.enter(turn)
	f, err := s.follow(ctx, row)
	if err != nil {
		leave()
		return nil, err
	}
	f.leave = leave
	return f, nil
}

func (s *Service) follow(ctx context.Context, row db.Turn) (*Follower, error) {
	turn := row.ID
	if log := s.broker.log(turn); log != nil {
		return s.followLog(turn, log), nil
	}
	if State(row.State) != Running {
		t, err := turnOf(row)
		if err != nil {
			return nil, err
		}
		return &Follower{Record: t.Record, Seq: row.LastSeq, next: ended}, nil
	}
	return s.followStore(ctx, turn)
}

func ended(context.Context) ([]Event, error) { return nil, io.EOF }

// followLog reads a turn that this process runs. When the log ends without a
// terminal event, the turn was taken from us: the store knows how it ended.
func (s *Service) followLog(turn int64, log *turnLog) *Follower {
	rec, pos := log.snapshot()
	f := &Follower{Record: rec, Seq: pos.seq}
	f.next = func(ctx context.Context) ([]Event, error) {
		for {
			events, p, over, changed := log.since(pos)
			switch {
			case len(events) > 0:
				pos = p
				return events, nil
			case over && log.terminal():
				return nil, io.EOF
			case over:
				f.next, f.close = s.pollStore(turn, pos.seq)
				return f.next(ctx)
			}
			select {
			case <-changed:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
	}
	return f
}

// followStore reads a turn that another process runs.
func (s *Service) followStore(ctx context.Context, turn int64) (*Follower, error) {
	rec, seq, err := s.storedRecord(ctx, turn)
	if err != nil {
		return nil, err
	}
	if end, err := s.storedEnd(ctx, turn); err != nil {
		return nil, err
	} else if end != nil { // it has ended since the caller looked, and its events are gone
		return &Follower{Record: *end[0].Record, Seq: end[0].Seq, next: ended}, nil
	}
	f := &Follower{Record: rec, Seq: seq}
	f.next, f.close = s.pollStore(turn, seq)
	return f, nil
}

// pollStore gives what is stored of a turn after the event with number seq, up to
// its end, and what releases that. While the database is away a reader waits. An
// end has a number above all that was read here: an owner's last events may never
// have been stored.
func (s *Service) pollStore(turn, seq int64) (next func(context.Context) ([]Event, error), release func()) {
	over := false
	woken, release := s.broker.watch(turn)
	next = func(ctx context.Context) ([]Event, error) {
		tick := time.NewTicker(pollEvery)
		defer tick.Stop()
		for !over {
			events, err := s.storedEvents(ctx, turn, seq)
			if err == nil && len(events) == 0 {
				events, err = s.storedEnd(ctx, turn)
				over = len(events) > 0
			}
			if err != nil && !db.Away(err) {
				return nil, err
			}
			if n := len(events); n > 0 {
				events[n-1].Seq = max(events[n-1].Seq, seq+1)
				seq = events[n-1].Seq
				return events, nil
			}
			select {
			case <-woken:
			case <-tick.C:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		return nil, io.EOF
	}
	return next, release
}

// storedRecord is the fold of a running turn's stored events, and the number of the
// last one.
func (s *Service) storedRecord(ctx context.Context, turn int64) (Record, int64, error) {
	rec, seq := Record{Who: "brain", State: Running}, int64(0)
	events, err := s.storedEvents(ctx, turn, 0)
	for _, e := range events {
		rec.Apply(e)
		seq = e.Seq
	}
	return rec, seq, err
}

// errUnreadable says that an event isn't stored as this program stores it.
var errUnreadable = errors.New("chat: a stored event can't be read")

// storedEvents are a turn's events after a number; with errUnreadable, those before
// the one that can't be read.
func (s *Service) storedEvents(ctx context.Context, turn, after int64) ([]Event, error) {
	rows, err := s.db.ListTurnEvents(ctx, db.ListTurnEventsParams{TurnID: turn, Seq: after})
	if err != nil {
		return nil, fmt.Errorf("chat: events of turn %d: %w", turn, err)
	}
	events := make([]Event, len(rows))
	for i, row := range rows {
		if err := json.Unmarshal(row.Payload, &events[i]); err != nil {
			return events[:i], fmt.Errorf("%w: event %d of turn %d: %w", errUnreadable, row.Seq, turn, err)
		}
		events[i].Seq, events[i].Kind = row.Seq, Kind(row.Kind)
	}
	return events, nil
}

// storedEnd is the terminal event of an ended turn, made from its record.
func (s *Service) storedEnd(ctx context.Context, turn int64) ([]Event, error) {
	row, err := s.db.GetTurnState(ctx, turn)
	if err != nil {
		return nil, fmt.Errorf("chat: state of turn %d: %w", turn, err)
	}
	if State(row.State) == Running {
		return nil, nil
	}
	rec, err := recordOf(row.Record)
	if err != nil {
		return nil, err
	}
	return []Event{{Seq: row.LastSeq, Kind: terminalKind(rec.State), Record: &rec}}, nil
}
