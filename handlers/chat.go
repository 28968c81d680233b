package handlers

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"bor/internal/chat"
	"bor/internal/fault"
	"bor/internal/turnview"
	"bor/views"
)

// refreshEvery is how often a page without script looks again while an answer is
// being written, in seconds.
const refreshEvery = 2

// recentQuestions is how many of the visitor's own questions are offered (CH8).
const recentQuestions = 3

// showChat is the front page: the session's conversation, or a new one.
func (s *Server) showChat(c echo.Context) error {
	id := s.Sessions.Conversation(c.Request().Context())
	if id == 0 {
		return s.showTurns(c, http.StatusOK, 0, "", "")
	}
	err := s.showTurns(c, http.StatusOK, id, "", "")
	if fault.CodeOf(err) == fault.NotFound { // it has expired
		return s.showTurns(c, http.StatusOK, 0, "", "")
	}
	return err
}

func (s *Server) showConversation(c echo.Context) error {
	id, err := number(c, "conversation")
	if err != nil {
		return err
	}
	return s.showTurns(c, http.StatusOK, id, "", "")
}

// createConversation begins a new one: nothing is stored until its first question.
func (s *Server) createConversation(c echo.Context) error {
	s.Sessions.SetConversation(c.Request().Context(), 0)
	return c.Redirect(http.StatusSeeOther, "/")
}

// createTurn takes a question. A refused one comes back with its words in the box.
func (s *Server) createTurn(c echo.Context) error {
	question := c.FormValue("message")
	conversation, err := postedConversation(c)
	if err != nil {
		return err
	}
	turn, err := s.Chat.Start(c.Request().Context(), s.visitor(c), conversation, c.FormValue("submit_id"), question)
	if err != nil {
		return s.refuse(c, conversation, question, err)
	}
	return s.showStarted(c, turn)
}

func (s *Server) retryTurn(c echo.Context) error {
	id, err := number(c, "turn")
	if err != nil {
		return err
	}
	turn, err := s.Chat.Retry(c.Request().Context(), s.visitor(c), id)
	if err != nil {
		conversation, e := postedConversation(c)
		if e != nil {
			return e
		}
		return s.refuse(c, conversation, c.FormValue("message"), err)
	}
	return s.showStarted(c, turn)
}

// stopTurn asks for the end. The stream says when it has come; a page without
// script looks again.
func (s *Server) stopTurn(c echo.Context) error {
	id, err := number(c, "turn")
	if err != nil {
		return err
	}
	turn, err := s.Chat.Turn(c.Request().Context(), s.visitor(c), id)
	if err == nil {
		err = s.Chat.Stop(c.Request().Context(), s.visitor(c), id)
	}
	if err != nil {
		return err
	}
	if isPartial(c) {
		return c.NoContent(http.StatusNoContent)
	}
	return c.Redirect(http.StatusSeeOther, turnview.ConversationURL(turn.Conversation))
}

// showStarted answers a taken question: the new exchange for htmx, else the
// conversation's page.
func (s *Server) showStarted(c echo.Context, turn chat.Turn) error {
	s.Sessions.SetConversation(c.Request().Context(), turn.Conversation)
	if !isPartial(c) {
		return c.Redirect(http.StatusSeeOther, turnview.ConversationURL(turn.Conversation)+"#"+turnview.ID(turn.ID))
	}
	nonce, _ := c.Get(nonceKey).(string)
	c.Response().Header().Set("HX-Push-Url", turnview.ConversationURL(turn.Conversation))
	exchange := s.exchange(turn)
	return s.render(c, http.StatusOK, views.Answered(views.Submitted{
		Nonce: nonce, Exchange: exchange, Composer: s.composer(turn.Conversation, exchange, turn.ID)}))
}

// refuse tells why a question was not taken; its words stay in the box.
func (s *Server) refuse(c echo.Context, conversation int64, question string, err error) error {
	if isPartial(c) {
		return err
	}
	status, text := s.explain(err)
	if status >= 500 || fault.CodeOf(err) == fault.NotFound {
		return err
	}
	return s.showTurns(c, status, conversation, question, text)
}

func (s *Server) showTurns(c echo.Context, status int, conversation int64, draft, problem string) error {
	ctx, who := c.Request().Context(), s.visitor(c)
	page := views.ChatPage{Shell: s.signedInShell(c, "Chat"), Model: s.notice(ctx),
		Welcome: "What would you like to know?", Intro: "Answers come from your own files, and show their exact bytes to copy."}
	var last chat.Turn
	if conversation != 0 {
		turns, err := s.Chat.Conversation(ctx, who, conversation)
		if err != nil {
			return err
		}
		for _, t := range turns {
			page.Exchanges = append(page.Exchanges, s.exchange(t))
			last = t
		}
	}
	if len(page.Exchanges) == 0 {
		var err error
		if page.Suggestions, err = s.suggestions(c); err != nil {
			return err
		}
	}
	var latest views.Exchange
	if n := len(page.Exchanges); n > 0 {
		latest = page.Exchanges[n-1]
	}
	page.Composer = s.composer(conversation, latest, last.ID)
	page.Composer.Error = problem
	if page.Composer.Draft = draft; draft == "" {
		page.Composer.Draft = c.QueryParam("q")
	}
	if last.State == chat.Running {
		page.Shell.Refresh = refreshEvery
	}
	return s.render(c, status, views.Chat(page))
}

// notice is what people should know about what answers: that no model does, or
// that searches aren't at their best (DEC21).
func (s *Server) notice(ctx context.Context) string {
	search, err := s.Notice(ctx)
	if err != nil {
		slog.Warn("what searches stand on can't be told", "error", err)
	}
	return strings.TrimSpace(s.Identity.Model + " " + search)
}

// composer is the form for the next question, with Stop while latest still runs.
func (s *Server) composer(conversation int64, latest views.Exchange, turn int64) views.Composer {
	form := views.Composer{SubmitID: rand.Text(), Placeholder: s.Identity.Placeholder}
	if conversation != 0 {
		form.Conversation = strconv.FormatInt(conversation, 10)
	}
	if latest.EventsURL != "" {
		form.StopURL = turnview.StopURL(turn)
	}
	return form
}

// suggestions are the visitor's own last questions, else the seeds (CH8, DEC13).
func (s *Server) suggestions(c echo.Context) ([]string, error) {
	recent, err := s.Chat.RecentQuestions(c.Request().Context(), s.visitor(c), recentQuestions)
	if err != nil || len(recent) > 0 {
		return recent, err
	}
	return s.Identity.Suggestions, nil
}

// exchange is a turn as the page shows it, with its stream while it runs.
func (s *Server) exchange(t chat.Turn) views.Exchange {
	x := views.Exchange{Question: t.Question, Turn: turnview.Bubble(t, s.look())}
	if t.State == chat.Running {
		x.EventsURL = turnview.EventsURL(t.ID, t.Seq)
	}
	return x
}

// look is what bubbles depend on besides their turns.
func (s *Server) look() turnview.Options {
	return turnview.Options{Now: time.Now(), AnswerText: s.AnswerText}
}

// postedConversation is the conversation that a form belongs to; 0 for a new one.
func postedConversation(c echo.Context) (int64, error) {
	text := c.FormValue("conversation")
	if text == "" {
		return 0, nil
	}
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 1 {
		return 0, fault.New(fault.Invalid, "The form doesn’t say which conversation it belongs to. Reload the page and send the question again.")
	}
	return id, nil
}

// number reads a path parameter that counts something; any other text is a page
// that doesn't exist.
func number(c echo.Context, name string) (int64, error) {
	n, err := strconv.ParseInt(c.Param(name), 10, 64)
	if err != nil || n < 0 {
		return 0, echo.NewHTTPError(http.StatusNotFound)
	}
	return n, nil
}
