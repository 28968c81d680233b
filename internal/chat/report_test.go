package chat

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"bor/internal/agent"
	"bor/internal/llm"
	"bor/internal/testkit"
)

// reports makes a service whose reports can be read, and whose log too.
func reports(t *testing.T, script *script) (*Service, <-chan Report, *bytes.Buffer) {
	t.Helper()
	log := new(bytes.Buffer)
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	s := serve(t, testkit.DB(t), "p1", script, Limits{})
	told := make(chan Report, 10)
	s.Observe(LogTurn(true))
	s.Observe(func(_ context.Context, r Report) { told <- r })
	return s, told, log
}

func TestATurnIsReportedOnceItsEndIsStored(t *testing.T) {
	script := newScript()
	script.out = Outcome{Sources: []Source{{Source: "homelab", Path: "dns.md"}}, Facts: Facts{SearchTime: time.Second, ToolCalls: 3, Why: "cosine"}}
	s, told, log := reports(t, script)
	turn := start(t, s, 0, "a", "which port?")
	<-script.jobs
	script.do(func(k Sink) error { return k.Tool(agent.ToolLine{Name: "ls"}) })
	script.say("53")
	close(script.steps)
	r := <-told
	if r.Turn != turn.ID || r.Question != "which port?" || r.State != Done || r.ToolCalls != 3 || r.FirstText <= 0 || r.Took < r.FirstText || r.Identities()[0] != "homelab/dns.md" {
		t.Errorf("the report is %+v", r)
	}
	if now, err := s.Turn(t.Context(), reese, turn.ID); err != nil || now.State != Done {
		t.Errorf("the turn is %+v (%v)", now, err)
	}
	if strings.Count(log.String(), "msg=turn ") != 1 || !strings.Contains(log.String(), `question="which port?"`) {
		t.Errorf("the log is %s", log)
	}
}

func TestTurnsThatDidNotEndWellWriteNoLine(t *testing.T) {
	t.Run("failed", func(t *testing.T) {
		script := newScript()
		s, told, log := reports(t, script)
		start(t, s, 0, "a", "q")
		<-script.jobs
		script.do(func(Sink) error { return &llm.Error{Public: "away"} })
		if r := <-told; r.State != Failed || r.FirstText != 0 || strings.Contains(log.String(), "msg=turn ") {
			t.Errorf("%+v, %s", r, log)
		}
	})
	t.Run("stopped", func(t *testing.T) {
		script := newScript()
		s, told, log := reports(t, script)
		turn := start(t, s, 0, "a", "q")
		<-script.jobs
		script.say("half")
		if err := s.Stop(t.Context(), reese, turn.ID); err != nil {
			t.Fatal(err)
		}
		if r := <-told; r.State != Stopped || r.FirstText == 0 || strings.Contains(log.String(), "msg=turn ") {
			t.Errorf("%+v, %s", r, log)
		}
	})
	t.Run("nobody listens", func(t *testing.T) {
		script := newScript()
		s, told, log := reports(t, script)
		go s.Ask(t.Context(), "q", nil, func(Event) error { return errors.New("gone") })
		<-script.jobs
		go script.say("half")
		if r := <-told; r.State != Stopped || r.Turn != 0 || strings.Contains(log.String(), "msg=turn ") {
			t.Errorf("%+v, %s", r, log)
		}
	})
}
