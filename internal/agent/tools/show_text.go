package tools

import (
	"context"
	_ "embed"
	"errors"
	"fmt"

	"bor/internal/agent"
	"bor/internal/llm"
	"bor/internal/verbatim"
)

//go:embed show_text.md
var showTextDescription string

var showTextSignature = signature{"show_text", []parameter{
	{"path", text, true, "The whole identity of a document, source/path.", `"source/path"`},
	{"offset", number, false, "The first line, counted from 1.", "12"},
	{"limit", number, false, "How many lines.", "29"},
}}

// showText registers blocks with the turn's answer.
type showText struct{ answer *verbatim.Answer }

func (showText) Spec() llm.Tool {
	return llm.Tool{Name: "show_text", Description: showTextDescription, Parameters: showTextSignature.schema()}
}

// Prepare makes the block, because only that tells whether it can be shown.
func (s showText) Prepare(ctx context.Context, raw string) (agent.Call, error) {
	args, err := showTextSignature.parse(raw)
	if err != nil {
		return agent.Call{}, err
	}
	path := args.text("path")
	block, err := s.answer.Show(ctx, path, args.number("offset"), args.number("limit"))
	var refusal verbatim.Refusal
	if errors.As(err, &refusal) {
		return agent.Call{}, agent.Refusal(refusal)
	}
	if err != nil {
		return agent.Call{}, err
	}
	return agent.Call{Argument: &path, Run: func(context.Context) (agent.Result, error) {
		return shownResult(block), nil
	}}, nil
}

// shownResult tells the model what is in front of the user now, so that what it
// says about it agrees.
func shownResult(b verbatim.Block) agent.Result {
	text := fmt.Sprintf("The user sees these lines now, exactly as they follow. Describe them, don't type them again. Their place in your answer: ```bor %s\n\n", b.Locator) +
		header(b.Source+"/"+b.Path, b.Date, b.Revision, b.Origin, b.StartLine, b.EndLine, b.TotalLines) + b.Text
	if b.Truncated {
		text = marked(text) + cutNotice(b)
	}
	return agent.Result{
		Text: text, Note: lineNote(b.StartLine, b.EndLine, b.TotalLines), Card: card(agent.ShowCard{Locator: b.Locator}),
	}
}

// cutNotice says what of a capped block is shown, and how to show more.
func cutNotice(b verbatim.Block) string {
	notice := fmt.Sprintf("TRUNCATED: of the lines %d-%d, the block shows %d-%d. The rest is NOT shown", b.StartLine, b.AskedEnd, b.StartLine, b.EndLine)
	if b.LineChars > 0 {
		notice = fmt.Sprintf("TRUNCATED: the block shows the beginning of line %d, which has %d characters. The rest is NOT shown", b.StartLine, b.LineChars)
	}
	if b.EndLine < b.TotalLines {
		notice += fmt.Sprintf("; the next offset is %d", b.EndLine+1)
	}
	return notice + ".\n"
}
