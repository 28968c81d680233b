package chat

import (
	"context"
	"fmt"
	"slices"
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

// history is the earlier turns of a turn's conversation, oldest first: newest
// are kept while both budgets hold, whole turns only (CH5).
func (s *Service) history(ctx context.Context, row db.Turn) ([]Exchange, error) {
	limit := s.limits.HistoryTurns
	if limit == 0 || limit > maxHistory {
		limit = maxHistory
	}
	rows, err := s.db.ListEarlierTurns(ctx, db.ListEarlierTurnsParams{ConversationID: row.ConversationID, ID: row.ID, Limit: int32(limit)})
	if err != nil {
		return nil, fmt.Errorf("chat: earlier turns: %w", err)
	}
	var kept []Exchange
	chars := 0
	for _, r := range rows {
		rec, err := recordOf(r.Record)
		if err != nil {
			return nil, err
		}
		x := Exchange{Question: r.Question, Answer: rec.Text, Thinking: rec.thinking()}
		chars += utf8.RuneCountInString(x.Question) + utf8.RuneCountInString(x.Answer) + utf8.RuneCountInString(x.Thinking)
		if s.limits.HistoryChars > 0 && chars > s.limits.HistoryChars {
			break
		}
		if x.Answer != "" {
			kept = append(kept, x)
		}
	}
	slices.Reverse(kept)
	return kept, nil
}

// thinking is all the thinking of a record.
func (r Record) thinking() string {
	var all string
	for _, step := range r.Trace {
		all += step.Thinking
	}
	return all
}
