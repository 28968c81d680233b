package chat

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"
	"unicode/utf8"
)

// Report is what a turn came to, in figures (QA3). Its observers are told once its
// end is stored, or, of a turn that isn't stored, once its asker knows it.
type Report struct {
	Turn      int64 // 0: of a turn that isn't stored
	Question  string
	State     State
	Deflected bool
	Sources   []Source      // none when deflected
	Blocks    int           // placed in the answer
	FirstText time.Duration // from the beginning to the first thinking or text; 0: there was none
	Took      time.Duration // from the beginning to the end
	Facts
}

// Facts are the figures that only a turn's work knows. Of a turn that failed they
// go as far as it came.
type Facts struct {
	SearchTime    time.Duration // of the whole search, the question's embedding included
	EmbedTime     time.Duration
	TopScore      float64 // cosine of the nearest chunk
	LexicalHits   int
	SummaryHits   int // summary chunks whose document is in the prompt
	Threshold     float64
	Why           string // the rule that decided on deflection
	Tuning        int    // steering notes
	OverviewChars int
	HistoryMsgs   int
	ThinkingChars int
	ToolCalls     int // executed ones
	Retries       int
	Stripped      int // pieces of chat-template markup that were removed

	PromptTokens, CompletionTokens int // of all requests; 0: the model's server didn't say
}

// Observer is told of every turn that this process ran, from the turn's goroutine.
type Observer func(context.Context, Report)

// Observe adds an observer. All have to be there before the first question.
func (s *Service) Observe(o Observer) { s.observers = append(s.observers, o) }

func (s *Service) tellObservers(r Report) {
	for _, o := range s.observers {
		o(context.Background(), r)
	}
}

// LogTurn writes the one line of a turn that ended well (QA3); verbatim_blocks is
// always there, and last (V9). Without questions the line only has their length.
func LogTurn(questions bool) Observer {
	return func(_ context.Context, r Report) {
		if r.State != Done {
			return
		}
		question := r.Question
		if !questions {
			question = fmt.Sprintf("(%d characters)", utf8.RuneCountInString(question))
		}
		slog.Info("turn", "id", r.Turn, "why", r.Why, "first_ms", r.FirstText.Milliseconds(),
			"prompt_tokens", r.PromptTokens, "completion_tokens", r.CompletionTokens,
			"question", question, "embed_ms", r.EmbedTime.Milliseconds(), "top_score", r.TopScore,
			"fts_hits", r.LexicalHits, "summary_hits", r.SummaryHits, "tuning", r.Tuning, "kb_chars", r.OverviewChars, "history_msgs", r.HistoryMsgs,
			"threshold", r.Threshold, "deflected", r.Deflected, "sources", strings.Join(r.Identities(), ","),
			"thinking_chars", r.ThinkingChars, "tool_calls", r.ToolCalls, "total_ms", r.Took.Milliseconds(),
			"retries", r.Retries, "scaffold_stripped", r.Stripped, "verbatim_blocks", r.Blocks)
	}
}

// Identities are the sources as source/path.
func (r Report) Identities() []string {
	names := make([]string, len(r.Sources))
	for i, s := range r.Sources {
		names[i] = s.Source + "/" + s.Path
	}
	return names
}
