package chat

import (
	"context"
	"fmt"
	"unicode/utf8"

	"bor/db"
)

// Exchange is an earlier question with its answer.
type Exchange struct {
	Question string
	Answer   string
	Thinking string
}

// maxHistory bounds how many earlier turns are read at all.
const maxHistory = 1000

// history is the earlier turns of a turn's conversation, oldest first, within
// the budgets (CH5). A turn without an answer is no part of it.
func (s *Service) history(ctx context.Context, row db.Turn) ([]Exchange, error) {
	limit := s.limits.HistoryTurns
	if limit == 0 || limit > maxHistory {
		limit = maxHistory
	}
	rows, err := s.db.ListEarlierTurns(ctx, db.ListEarlierTurnsParams{ConversationID: row.ConversationID, ID: row.ID, Limit: int32(limit)})
	if err != nil {
		return nil, fmt.Errorf("chat: earlier turns: %w", err)
	}
	earlier := make([]Exchange, len(rows))
	for i, r := range rows {
		rec, err := recordOf(r.Record)
		if err != nil {
			return nil, err
		}
		earlier[len(rows)-1-i] = Exchange{Question: r.Question, Answer: rec.Text, Thinking: rec.thinking()}
	}
	return s.withinBudgets(earlier), nil
}

// withinBudgets keeps the newest of earlier turns, which are oldest first, while
// both budgets hold: whole turns only, and none behind one that doesn't fit.
func (s *Service) withinBudgets(earlier []Exchange) []Exchange {
	chars, first := 0, len(earlier)
	for ; first > 0; first-- {
		x := earlier[first-1]
		chars += utf8.RuneCountInString(x.Question) + utf8.RuneCountInString(x.Answer) + utf8.RuneCountInString(x.Thinking)
		if s.limits.HistoryChars > 0 && chars > s.limits.HistoryChars ||
			s.limits.HistoryTurns > 0 && len(earlier)-first == s.limits.HistoryTurns {
			break
		}
	}
	return earlier[first:]
}

// thinking is all the thinking of a record.
func (r Record) thinking() string {
	var all string
	for _, step := range r.Trace {
		all += step.Thinking
	}
	return all
}
