package turnview

import (
	"fmt"
	"strings"

	"bor/internal/agent"
	"bor/internal/chat"
	"bor/internal/markdown"
	"bor/internal/verbatim"
)

// AnswerText is the answer as Markdown to copy: the model's words, with each
// locator fence replaced by the panel's exact text, and the panels that no fence
// placed at the end (CH4, DEC4). It sees the fences that the bubble shows.
func AnswerText(rec chat.Record, o Options) string {
	placed := map[int]bool{}
	options := markdown.Options{IsLocator: verbatim.IsLocator}
	if o.placesText(&rec) {
		options.Fence = func(int, markdown.Fence) string { return "" }
	}
	text := markdown.Expand(rec.Text, options, func(n int, asked markdown.Fence) string {
		i, notice := fate(&rec, n, asked)
		if i < 0 {
			return notShown(notice.Asked, notice.Reason)
		}
		placed[i] = true
		return codeBlock(rec.AnswerText[i])
	})
	for i, b := range rec.AnswerText {
		if !placed[i] {
			text = strings.TrimRight(text, "\n") + "\n\n" + codeBlock(b)
		}
	}
	for _, image := range rec.AnswerImage {
		text = strings.TrimRight(text, "\n") + "\n\n" + imageLine(image)
	}
	return text
}

// imageLine names an image where a text can't show it.
func imageLine(i agent.Image) string {
	return fmt.Sprintf("(image: %s, %s/%s)\n", strings.Join(strings.Fields(i.Title), " "), i.Source, i.Path)
}

func notShown(asked, reason string) string {
	return fmt.Sprintf("(not shown: %s: %s)\n", strings.Join(strings.Fields(asked), " "), reason)
}

// codeBlock is a block between fences that no run of back-quotes in it can end.
// A text without a final line end gets one: Markdown has no other way.
func codeBlock(b verbatim.Block) string {
	run, longest := 0, 2
	for i := range len(b.Text) {
		if run++; b.Text[i] != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	fence := strings.Repeat("`", longest+1)
	text := b.Text
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	name := strings.NewReplacer("`", "", "\n", " ", "\r", " ").Replace(b.Locator)
	return fence + strings.TrimLeft(markdown.Lang(b.Path)+" "+name, " ") + "\n" + text + fence + "\n"
}
