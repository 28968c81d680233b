// Package querylog keeps what was asked and how it went: a row for each turn that
// ended well, with the figures of its log line, for the admin to find what the
// documentation lacks (QA3, AD2).
//
// Invariants: a turn that failed or was stopped leaves no row; a row that can't be
// written costs a warning, never the answer; rows go after their time.
//
// Rejected: a view over the turns (conversations go sooner, and a turn of the API is
// stored nowhere), and one transaction with the turn's end (a full log would then
// fail turns).
package querylog

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"bor/db"
	"bor/internal/chat"
	"bor/internal/kb"
)

const (
	addTimeout = 5 * time.Second
	sweepEvery = time.Hour
)

// Log is the query log. It is safe for concurrent use.
type Log struct{ db *db.DB }

// New makes the log over a database.
func New(d *db.DB) *Log { return &Log{db: d} }

// Entry is one turn.
type Entry struct {
	ID        int64
	Asked     time.Time
	Question  string
	TopScore  float64
	Threshold float64
	Lexical   int // chunks that the words found
	Deflected bool
	Why       string   // the rule that decided on that
	Sources   []string // as source/path
	ToolCalls int
	FirstText time.Duration // 0: there was none
	Took      time.Duration
}

// Day is what a day came to, by UTC.
type Day struct {
	Date      time.Time
	Turns     int
	Deflected int
}

// Observe notes a turn. It is a chat.Observer.
func (l *Log) Observe(ctx context.Context, r chat.Report) {
	if r.State != chat.Done {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, addTimeout)
	defer cancel()
	sources := r.Identities()
	for i, s := range sources {
		sources[i] = kb.Storable(s)
	}
	err := l.db.AddQuery(ctx, db.AddQueryParams{Question: kb.Storable(r.Question), EmbedMs: ms(r.EmbedTime), TopScore: r.TopScore, FtsHits: int32(r.LexicalHits),
		SummaryHits: int32(r.SummaryHits), Tuning: int32(r.Tuning), KbChars: int32(r.OverviewChars), HistoryMsgs: int32(r.HistoryMsgs),
		Threshold: r.Threshold, Deflected: r.Deflected, Why: kb.Storable(r.Why), Sources: sources, ThinkingChars: int32(r.ThinkingChars),
		ToolCalls: int32(r.ToolCalls), FirstMs: ms(r.FirstText), TotalMs: ms(r.Took), Retries: int32(r.Retries),
		ScaffoldStripped: int32(r.Stripped), VerbatimBlocks: int32(r.Blocks), PromptTokens: int32(r.PromptTokens), CompletionTokens: int32(r.CompletionTokens)})
	if err != nil {
		slog.Warn("the query log lacks a turn", "turn", r.Turn, "error", err)
	}
}

// Entries lists turns, newest first, at most limit of them: those with an id below
// before (0: all), or of these only the deflected.
func (l *Log) Entries(ctx context.Context, deflected bool, before int64, limit int) ([]Entry, error) {
	rows, err := l.db.ListQueries(ctx, db.ListQueriesParams{DeflectedOnly: deflected, Before: before, Limit: int32(limit)})
	if err != nil {
		return nil, fmt.Errorf("reading the query log: %w", err)
	}
	entries := make([]Entry, len(rows))
	for i, r := range rows {
		entries[i] = Entry{ID: r.ID, Asked: r.AskedAt, Question: r.Question, TopScore: r.TopScore, Threshold: r.Threshold, Lexical: int(r.FtsHits),
			Deflected: r.Deflected, Why: r.Why, Sources: r.Sources, ToolCalls: int(r.ToolCalls), FirstText: span(r.FirstMs), Took: span(r.TotalMs)}
	}
	return entries, nil
}

// Days counts the last n days, today included, oldest first; days without a
// question too.
func (l *Log) Days(ctx context.Context, n int) ([]Day, error) {
	rows, err := l.db.CountQueriesByDay(ctx, int32(n))
	if err != nil {
		return nil, fmt.Errorf("counting the query log: %w", err)
	}
	days := make([]Day, len(rows))
	for i, r := range rows {
		days[i] = Day{Date: r.Day.UTC(), Turns: int(r.Turns), Deflected: int(r.Deflected)}
	}
	return days, nil
}

// Sweep forgets turns older than ttl, now and every hour until ctx ends. With 0 it
// forgets nothing.
func (l *Log) Sweep(ctx context.Context, ttl time.Duration) {
	if ttl == 0 {
		return
	}
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		if _, err := l.db.PurgeQueries(ctx, ttl); err != nil && ctx.Err() == nil {
			slog.Warn("old entries of the query log stay for now", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func ms(d time.Duration) int32 { return int32(min(d.Milliseconds(), 1<<31-1)) }

func span(ms int32) time.Duration { return time.Duration(ms) * time.Millisecond }
