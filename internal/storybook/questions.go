package storybook

import (
	"fmt"
	"strings"

	"bor/views"
)

func questions() []Story {
	const group = "Query log"
	log := func(p views.QuestionsPage) View { return page(views.Questions, p) }
	days := make([]views.QuestionDay, 30)
	for i := range days {
		days[i] = views.QuestionDay{Date: fmt.Sprintf("2026-03-%02d", i+1), Turns: (i * 7) % 23, Deflected: (i * 7) % 23 / 5}
	}
	quiet := make([]views.QuestionDay, len(days))
	for i := range quiet {
		quiet[i].Date = days[i].Date
	}
	answered := views.QuestionRow{Asked: "2026-03-14 04:00", Question: "Show me the quadlet for gufo", Score: "0.71", Words: 12, Why: "cosine", First: "0.4 s", Took: "3.2 s",
		Sources: []views.Link{{Text: "homelab/quadlets/gufo.container", URL: "/document?path=quadlets%2Fgufo.container&source=homelab"}, {Text: "homelab/" + deepPath, URL: "/document?path=x&source=homelab"}}}
	deflected := views.QuestionRow{Asked: "2026-03-14 03:58", Question: rtl, Score: "0.02", Deflected: true, Why: "nothing found", Took: "0.1 s"}
	long := answered
	long.Question = strings.Repeat("And what about the resolver? ", 40) + strings.Repeat("x", 300)
	return []Story{
		{"questions", group, "The last days and the questions.", log(views.QuestionsPage{Days: days, Rows: []views.QuestionRow{answered, deflected, long}, OlderURL: "/questions?before=7"})},
		{"questions-gaps", group, "Only those that the files had nothing on, an older page.", log(views.QuestionsPage{Days: days, Deflected: true, Later: true, Rows: []views.QuestionRow{deflected}})},
		{"questions-empty", group, "Nobody has asked.", log(views.QuestionsPage{Days: quiet})},
		{"questions-no-gaps", group, "Every question was answered.", log(views.QuestionsPage{Days: days, Deflected: true})},
		{"questions-past-end", group, "Behind the oldest question.", log(views.QuestionsPage{Days: days, Later: true})},
	}
}
