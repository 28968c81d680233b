package handlers

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"bor/internal/kb"
	"bor/internal/querylog"
	"bor/views"
)

const (
	questionsAPage = 100
	chartDays      = 30
)

// showQuestions is the query log: what was asked, and what the files had on it
// (AD2).
func (s *Server) showQuestions(c echo.Context) error {
	ctx := c.Request().Context()
	deflected := c.QueryParam("deflected") == "1"
	before, err := strconv.ParseInt(c.QueryParam("before"), 10, 64)
	if err != nil || before < 0 {
		before = 0
	}
	entries, err := s.Questions.Entries(ctx, deflected, before, questionsAPage)
	if err != nil {
		return err
	}
	days, err := s.Questions.Days(ctx, chartDays)
	if err != nil {
		return err
	}
	page := views.QuestionsPage{Shell: s.signedInShell(c, "Questions"), Deflected: deflected, Later: before > 0}
	for _, d := range days {
		page.Days = append(page.Days, views.QuestionDay{Date: d.Date.Format(time.DateOnly), Turns: d.Turns, Deflected: d.Deflected})
	}
	for _, e := range entries {
		page.Rows = append(page.Rows, questionRow(e))
	}
	if n := len(entries); n == questionsAPage {
		page.OlderURL = questionsURL(deflected, entries[n-1].ID)
	}
	return s.render(c, http.StatusOK, views.Questions(page))
}

func questionRow(e querylog.Entry) views.QuestionRow {
	row := views.QuestionRow{Asked: e.Asked.UTC().Format("2006-01-02 15:04"), Question: e.Question, Score: fmt.Sprintf("%.2f", e.TopScore),
		Words: e.Lexical, Deflected: e.Deflected, Why: e.Why, Took: seconds(e.Took)}
	if e.FirstText > 0 {
		row.First = seconds(e.FirstText)
	}
	for _, identity := range e.Sources {
		source, path, _ := kb.SplitIdentity(identity)
		row.Sources = append(row.Sources, views.Link{Text: identity, URL: documentURL("/document", kb.Document{Source: source, Path: path}, nil)})
	}
	return row
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

func questionsURL(deflected bool, before int64) string {
	q := url.Values{"before": {strconv.FormatInt(before, 10)}}
	if deflected {
		q.Set("deflected", "1")
	}
	return "/questions?" + q.Encode()
}
