package handlers

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"bor/internal/chat"
	"bor/internal/kb"
	"bor/internal/turnview"
	"bor/views"
)

// turn is the visitor's turn that the path names.
func (s *Server) turn(c echo.Context) (chat.Turn, error) {
	id, err := number(c, "turn")
	if err != nil {
		return chat.Turn{}, err
	}
	return s.Chat.Turn(c.Request().Context(), s.visitor(c), id)
}

// showAnswerText is the answer's Markdown with the panels' exact text, for Copy.
func (s *Server) showAnswerText(c echo.Context) error {
	turn, err := s.turn(c)
	if err != nil {
		return err
	}
	return serveText(c, "answer.md", turnview.AnswerText(turn.Record, s.look()))
}

// showBlock is a panel's bytes as the turn stored them (V8).
func (s *Server) showBlock(c echo.Context) error {
	turn, err := s.turn(c)
	if err != nil {
		return err
	}
	n, err := number(c, "block")
	if err != nil || n >= int64(len(turn.Record.AnswerText)) {
		return echo.NewHTTPError(http.StatusNotFound)
	}
	block := turn.Record.AnswerText[n]
	return serveText(c, block.Path, block.Text)
}

// showImage is an image of an answer, which outlives its document (DEC28).
func (s *Server) showImage(c echo.Context) error {
	turn, err := s.turn(c)
	if err != nil {
		return err
	}
	n, err := number(c, "image")
	if err != nil || n >= int64(len(turn.Record.AnswerImage)) {
		return echo.NewHTTPError(http.StatusNotFound)
	}
	image := turn.Record.AnswerImage[n]
	return s.sendImage(c, image.Path, image.SHA256)
}

// sendImage sends the image with a hash. What has it never changes.
func (s *Server) sendImage(c echo.Context, name, sha256 string) error {
	bytes, mediaType, err := s.Documents.ImageBytes(c.Request().Context(), sha256)
	if errors.Is(err, kb.ErrNotFound) {
		return echo.NewHTTPError(http.StatusNotFound)
	}
	if err != nil {
		return err
	}
	return serveImage(c, name, mediaType, bytes)
}

// showStep is what a tool call of the trace brought, from the record (AG8).
func (s *Server) showStep(c echo.Context) error {
	turn, err := s.turn(c)
	if err != nil {
		return err
	}
	n, err := number(c, "step")
	if err != nil {
		return err
	}
	card, ok := turnview.Card(turn, int(n))
	if !ok {
		return echo.NewHTTPError(http.StatusNotFound)
	}
	if isPartial(c) {
		return s.render(c, http.StatusOK, views.StepCard(card))
	}
	return s.render(c, http.StatusOK, views.StepPage(views.CardPage{
		Shell: s.signedInShell(c, card.Title), Card: card, Back: turnview.ConversationURL(turn.Conversation) + "#" + turnview.ID(turn.ID)}))
}
