package chat

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"bor/internal/agent"
	"bor/internal/kb"
	"bor/internal/llm"
	"bor/internal/retrieval"
	"bor/internal/verbatim"
)

// weakTitles is how many titles a deflected turn names, and how many it turns
// into questions to try.
const weakTitles = 3

// Pipeline answers turns: search, honesty gate, agent, fences, sources.
type Pipeline struct {
	Search interface {
		Search(ctx context.Context, question string) (retrieval.Result, error)
	}
	Documents interface {
		ByIDs(ctx context.Context, ids []int64) ([]kb.Document, error)
	}
	Overview   func(ctx context.Context) (string, error) // of the knowledge base
	Agent      *agent.Agent
	Settings   agent.Settings
	Verbatim   verbatim.Resolver
	AnswerText bool // BOR_ANSWER_TEXT
	Images     bool // BOR_ANSWER_IMAGES
}

// Answer is one turn's work. What was placed in the answer is in the outcome
// also when it ends in an error.
func (p *Pipeline) Answer(ctx context.Context, job Job, sink Sink) (Outcome, error) {
	counted := &retryCounter{Sink: sink}
	out, err := p.answer(ctx, job, counted)
	out.Facts.Retries = counted.retries
	return out, err
}

func (p *Pipeline) answer(ctx context.Context, job Job, sink *retryCounter) (Outcome, error) {
	var out Outcome
	began := time.Now()
	found, err := p.Search.Search(llm.OnRetry(ctx, sink.Retry), job.Question)
	out.Facts = Facts{SearchTime: time.Since(began), EmbedTime: found.EmbedTime, TopScore: found.TopCosine, LexicalHits: found.LexicalHits,
		SummaryHits: found.SummaryHits, Threshold: found.Threshold, Why: found.Why}
	if err != nil {
		return out, err
	}
	turn, err := p.turn(ctx, job, found)
	if err != nil {
		return out, err
	}
	out.Facts.Tuning, out.Facts.OverviewChars, out.Facts.HistoryMsgs = len(turn.Tuning), utf8.RuneCountInString(turn.Overview), len(turn.History)
	fencing := newFencing(ctx, sink, turn.Answer)
	defer fencing.close()
	done, err := p.Agent.Run(ctx, turn, fencing)
	if err == nil {
		err = fencing.settle()
	}
	out.Facts.ThinkingChars, out.Facts.ToolCalls, out.Facts.Stripped = utf8.RuneCountInString(done.Thinking), done.ToolCalls, done.Stripped
	out.Facts.PromptTokens, out.Facts.CompletionTokens = done.Usage.Prompt, done.Usage.Completion
	out.Deflected, out.Incomplete = found.Deflected, incomplete(done.Finish)
	if turn.Answer != nil {
		out.Blocks = turn.Answer.Blocks()
	}
	if found.Deflected {
		out.Suggestions = questionsOn(turn.WeakTitles)
	} else {
		for _, s := range done.Sources {
			out.Sources = append(out.Sources, Source(s))
		}
	}
	return out, err
}

// retryCounter counts the retries of a turn's requests, for the log: those of the
// question's embedding and those of the model's replies.
type retryCounter struct {
	Sink
	retries int
}

func (c *retryCounter) Retry(r llm.Retry) error {
	c.retries++
	return c.Sink.Retry(r)
}

// incomplete judges how the model's last reply finished.
func incomplete(finish string) Incomplete {
	switch finish {
	case "":
		return NoEnd
	case string(CutByLength), string(CutByFilter):
		return Incomplete(finish)
	}
	return ""
}

// turn gathers what the answer is made from.
func (p *Pipeline) turn(ctx context.Context, job Job, found retrieval.Result) (agent.Turn, error) {
	t := agent.Turn{Question: job.Question, History: messages(job.History), Relevance: agent.High, Settings: p.Settings}
	var err error
	if t.Overview, err = p.Overview(ctx); err != nil {
		return t, fmt.Errorf("chat: overview of the knowledge base: %w", err)
	}
	t.Images = p.Images
	if p.AnswerText {
		t.Answer = p.Verbatim.Answer(found.Deflected)
	}
	if found.Deflected {
		t.Relevance = agent.Low
		for _, h := range found.Hits[:min(weakTitles, len(found.Hits))] {
			t.WeakTitles = append(t.WeakTitles, h.Title)
		}
		return t, nil
	}
	top := found.Top()
	ids := make([]int64, len(top))
	for i, h := range top {
		ids[i] = h.DocumentID
	}
	documents, err := p.Documents.ByIDs(ctx, ids)
	if err != nil {
		return t, fmt.Errorf("chat: documents of the prompt: %w", err)
	}
	for _, h := range top {
		for _, d := range documents {
			if d.ID == h.DocumentID {
				t.Documents = append(t.Documents, agent.Document{Document: d, First: h.StartLine, Last: h.EndLine})
			}
		}
	}
	return t, nil
}

// messages is history as the model reads it.
func messages(history []Exchange) []llm.Message {
	var all []llm.Message
	for _, x := range history {
		all = append(all, llm.Message{Role: llm.User, Content: x.Question}, llm.Message{Role: llm.Assistant, Content: x.Answer, Reasoning: x.Thinking})
	}
	return all
}

// questionsOn turns titles into questions that the knowledge base can answer
// (CH8).
func questionsOn(titles []string) []string {
	var questions []string
	for _, t := range titles {
		questions = append(questions, "What do my notes say about “"+t+"”?")
	}
	return questions
}
