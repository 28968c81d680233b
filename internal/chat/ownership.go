package chat

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"bor/db"
)

const (
	lease      = 15 * time.Second // an owner that is silent for so long has lost its turns (DEC11)
	heartbeat  = 2 * time.Second
	reapEvery  = 5 * time.Second
	purgeEvery = time.Hour

	turnsChannel = "bor_turns" // a turn's row or events changed; the payload is its number, never text
	stopsChannel = "bor_stops" // a turn's Stop was asked for
)

// Why a turn's work was cut short.
var (
	errStopped  = errors.New("chat: stopped by the visitor")
	errShutdown = errors.New("chat: this server is shutting down")
)

// broker knows the turns that run in this process, and who in this process
// watches turns of others.
type broker struct {
	mu      sync.Mutex
	running map[int64]*running
	watched map[int64]map[chan struct{}]bool
}

type running struct {
	log    *turnLog
	cancel context.CancelCauseFunc
}

func newBroker() *broker {
	return &broker{running: map[int64]*running{}, watched: map[int64]map[chan struct{}]bool{}}
}

func (b *broker) add(turn int64, r *running) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.running[turn] = r
}

func (b *broker) remove(turn int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.running, turn)
}

func (b *broker) log(turn int64) *turnLog {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r := b.running[turn]; r != nil {
		return r.log
	}
	return nil
}

func (b *broker) count() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.running)
}

// cancel ends a turn's work, if it runs here.
func (b *broker) cancel(turn int64, why error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r := b.running[turn]; r != nil {
		r.cancel(why)
	}
}

// cancelOthers ends the work of every turn here that isn't in kept.
func (b *broker) cancelOthers(kept map[int64]bool, before map[int64]bool, why error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for turn, r := range b.running {
		if before[turn] && !kept[turn] {
			r.cancel(why)
		}
	}
}

func (b *broker) turns() map[int64]bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	turns := make(map[int64]bool, len(b.running))
	for t := range b.running {
		turns[t] = true
	}
	return turns
}

// watch gives a channel that gets a value when the turn's row changed.
func (b *broker) watch(turn int64) (<-chan struct{}, func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := make(chan struct{}, 1)
	if b.watched[turn] == nil {
		b.watched[turn] = map[chan struct{}]bool{}
	}
	b.watched[turn][c] = true
	return c, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.watched[turn], c)
		if len(b.watched[turn]) == 0 {
			delete(b.watched, turn)
		}
	}
}

func (b *broker) wake(turn int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for c := range b.watched[turn] {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// Run keeps this process's turns its own until ctx ends: it renews leases, obeys
// stop requests, ends the turns of processes that died and those that nobody reads
// any more, and purges what has expired. When ctx ends it interrupts the turns that
// still run here and waits for their records.
func (s *Service) Run(ctx context.Context) {
	var wg sync.WaitGroup
	type loop struct {
		every time.Duration
		step  func(context.Context) error
	}
	loops := []loop{{heartbeat, s.renewLeases}, {pollEvery, s.obeyStops}, {reapEvery, s.reap}, {purgeEvery, s.purge}}
	if s.limits.AbandonAfter > 0 {
		loops = append(loops, loop{heartbeat, func(ctx context.Context) error { return s.abandon(ctx, time.Now()) }})
	}
	for _, loop := range loops {
		wg.Go(func() { s.repeat(ctx, loop.every, loop.step) })
	}
	wg.Go(func() { s.listen(ctx) })
	wg.Wait()
	s.drain()
}

func (s *Service) repeat(ctx context.Context, every time.Duration, step func(context.Context) error) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if err := step(ctx); err != nil && ctx.Err() == nil {
			slog.Warn("turns: the database didn't answer; trying again", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// renewLeases is the process's heartbeat. A turn that the database no longer
// calls ours was taken over, and its work ends.
func (s *Service) renewLeases(ctx context.Context) error {
	before := s.broker.turns()
	if len(before) == 0 {
		return nil
	}
	ids, err := s.db.RenewLeases(ctx, db.RenewLeasesParams{Owner: s.owner, Lease: lease, Ids: slices.Collect(maps.Keys(before))})
	if err != nil {
		return err
	}
	kept := make(map[int64]bool, len(ids))
	for _, id := range ids {
		kept[id] = true
	}
	s.broker.cancelOthers(kept, before, errLost)
	return nil
}

func (s *Service) obeyStops(ctx context.Context) error {
	if s.broker.count() == 0 {
		return nil
	}
	turns, err := s.db.ListStopRequests(ctx, s.owner)
	for _, t := range turns {
		s.broker.cancel(t, errStopped)
	}
	return err
}

// reap ends turns whose owner is gone with what they had stored. A turn that runs
// here isn't one: after a sleep of the machine this may come before the heartbeat.
func (s *Service) reap(ctx context.Context) error {
	rows, err := s.db.ListExpiredTurns(ctx, lease)
	if err != nil {
		return err
	}
	here := s.broker.turns()
	var failed []error
	for _, row := range rows {
		if !here[row.ID] {
			failed = append(failed, s.reapTurn(ctx, row.ID, row.LastSeq))
		}
	}
	return errors.Join(failed...)
}

// reapTurn ends one turn, unless its owner writes after the event with number seen.
// One that can't be read to its end ends with what comes before.
func (s *Service) reapTurn(ctx context.Context, turn, seen int64) error {
	rec, _, err := s.storedRecord(ctx, turn)
	if errors.Is(err, errUnreadable) {
		slog.Error("turns: ended a turn without the part that can't be read", "turn", turn, "error", err)
	} else if err != nil {
		return err
	}
	rec.State, rec.Retry = Interrupted, nil
	raw, err := json.Marshal(rec)
	if err != nil {
		return err
	}
	if n, err := s.db.ReapTurn(ctx, db.ReapTurnParams{ID: turn, Owner: s.owner, Record: raw, Seen: seen}); err != nil || n == 0 {
		return err
	}
	slog.Info("turns: ended a turn whose server is gone", "turn", turn)
	return nil
}

func (s *Service) purge(ctx context.Context) error {
	if s.limits.UnsavedTTL == 0 {
		return nil
	}
	n, err := s.db.PurgeConversations(ctx, s.limits.UnsavedTTL)
	if n > 0 {
		slog.Info("turns: unsaved conversations expired", "count", n)
	}
	return err
}

// listen wakes readers and obeys stop requests early. A lost notification costs
// one poll at most, so a lost connection is simply made anew.
func (s *Service) listen(ctx context.Context) {
	for ctx.Err() == nil {
		if err := s.listenOnce(ctx); ctx.Err() == nil {
			slog.Debug("turns: listening anew", "error", err)
		}
		select {
		case <-time.After(pollEvery):
		case <-ctx.Done():
		}
	}
}

func (s *Service) listenOnce(ctx context.Context) error {
	conn, err := s.db.Connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, "LISTEN "+turnsChannel+"; LISTEN "+stopsChannel+"; LISTEN "+readersChannel); err != nil {
		return err
	}
	s.readers.listens(true)
	defer s.readers.listens(false)
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		turn, err := strconv.ParseInt(n.Payload, 10, 64)
		if err != nil {
			continue
		}
		switch n.Channel {
		case stopsChannel:
			s.broker.cancel(turn, errStopped)
		case readersChannel:
			if s.broker.log(turn) != nil {
				s.readers.heard(turn)
			}
		default:
			s.broker.wake(turn)
		}
	}
}

// drain interrupts the turns that run here and waits until each is recorded.
func (s *Service) drain() {
	s.closing.Lock() // waits for questions that are being accepted
	s.end(errShutdown)
	s.closing.Unlock()
	s.work.Wait()
}
