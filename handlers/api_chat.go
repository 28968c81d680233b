package handlers

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"bor/internal/chat"
	"bor/internal/fault"
	"bor/internal/turnview"
)

// apiSuggestions are the questions that the start page would offer.
func (s *Server) apiSuggestions(c echo.Context) error {
	questions, err := s.suggestions(c)
	if err != nil {
		return err
	}
	if questions == nil {
		questions = []string{}
	}
	return sendJSON(c, http.StatusOK, struct {
		Suggestions []string `json:"suggestions"`
	}{questions})
}

// Why a stream of the API ends early, for its last event.
var (
	errSignedOut = fault.New(fault.Forbidden, "The session was signed out, so the answer was ended.")
	errLeaving   = fault.New(fault.Unavailable, "The server ended the answer before it was complete, because it is shutting down. Ask again in a moment.")
)

// apiChat answers a question as server-sent events, and keeps nothing of it (CH5).
// The answer belongs to the connection: when that goes, the model's request ends.
func (s *Server) apiChat(c echo.Context) error {
	var in struct {
		Message string            `json:"message"`
		History []json.RawMessage `json:"history"`
	}
	if err := decode(c, &in); err != nil {
		return err
	}
	history, err := chat.ParseHistory(in.History)
	if err != nil {
		return err
	}
	who := s.visitor(c)
	if !s.streams.enter(who.Session) {
		return fault.New(fault.Limited, "Too many answers are open at once in this session. Wait for one to end.")
	}
	defer s.streams.leave(who.Session)
	defer s.Metrics.StreamOpened("api")()
	ctx, cancel := context.WithCancelCause(c.Request().Context())
	defer cancel(nil)
	defer context.AfterFunc(s.closing, func() { cancel(errLeaving) })()
	a := &asking{events: make(chan chat.Event), over: make(chan error, 1), cancel: cancel, ready: s.Ready}
	token := s.token(c)
	a.signedOut = func(ctx context.Context) bool {
		err := s.Sessions.Alive(ctx, token)
		return err != nil && !s.Away(err)
	}
	go func() {
		_, err := s.Chat.Ask(ctx, in.Message, history, func(e chat.Event) error {
			select {
			case a.events <- e:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
		a.over <- err
	}()
	return a.tell(ctx, &jsonStream{c: c})
}

// asking is an answer under way.
type asking struct {
	events    chan chat.Event
	over      chan error // gets one value, after the last event was taken
	cancel    context.CancelCauseFunc
	signedOut func(context.Context) bool
	ready     func(context.Context) error // whether the database answers
	ended     bool                        // the client knows the end
}

// tell copies an answer's events to the client until its end. Nothing is sent
// before there is something to tell, so that a question that is refused, or finds
// the database away, gets a plain status.
func (a *asking) tell(ctx context.Context, out *jsonStream) error {
	quiet, alive := time.NewTicker(keepAlive), time.NewTicker(aliveEvery)
	defer quiet.Stop()
	defer alive.Stop()
	gone := ctx.Done()
	for {
		select {
		case e := <-a.events:
			if e.Kind == chat.KindError && !out.begun() {
				if err := a.ready(ctx); err != nil && ctx.Err() == nil {
					a.cancel(err)
					<-a.over
					return fault.Wrap(fault.Unavailable, offlineText, err)
				}
			}
			a.pass(e, out)
		case err := <-a.over:
			return err
		case <-quiet.C:
			out.comment()
		case <-alive.C:
			if a.signedOut(ctx) {
				a.cancel(errSignedOut)
			}
		case <-gone:
			gone = nil
			var told *fault.Error
			if errors.As(context.Cause(ctx), &told) {
				a.pass(chat.Event{Kind: chat.KindError, Record: &chat.Record{Error: told.Public}}, out)
			}
		}
		if out.failed() {
			a.cancel(nil)
			<-a.over
			return nil
		}
	}
}

// pass sends an event, and none after the one that ends the stream.
func (a *asking) pass(e chat.Event, out *jsonStream) {
	name, data, ok := turnview.JSON(e)
	if !ok || a.ended {
		return
	}
	out.event(name, data)
	a.ended = e.Kind == chat.KindDone || e.Kind == chat.KindError
}

// jsonStream is the response to a question: events with a name and JSON, begun with
// the first of them.
type jsonStream struct {
	c   echo.Context
	out *eventWriter // nil before the first event
}

func (j *jsonStream) begun() bool  { return j.out != nil }
func (j *jsonStream) failed() bool { return j.out != nil && j.out.err != nil }

func (j *jsonStream) begin() {
	if j.out != nil {
		return
	}
	j.out = beginStream(j.c)
}

func (j *jsonStream) comment() {
	j.begin()
	j.out.comment()
}

// event sends one event. JSON has no raw line ends, so its data is one line.
func (j *jsonStream) event(name string, data any) {
	j.begin()
	line, err := jsonLine(data)
	if err != nil {
		j.out.err = err
		return
	}
	j.out.write(slices.Concat([]byte("event: "+name+"\ndata: "), line, []byte("\n")))
}
