package git

import (
	"errors"
	"io"
	"strings"
	"testing"
)

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("closed") }

func TestAsking(t *testing.T) {
	questions, asked := io.Pipe()
	answers, given := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		answerAll(questions, given, func(q string) (string, bool) { return "to " + q, q != "nothing" })
	}()
	var out strings.Builder
	if code := ask([]string{"who", "are you\nand more"}, asked, answers, &out); code != 0 || out.String() != "to who are you\n" {
		t.Errorf("%d: %q", code, out.String())
	}
	if code := ask([]string{"nothing"}, asked, answers, &out); code != 1 {
		t.Errorf("an unknown question ends with %d", code)
	}
	if code := ask([]string{"who"}, asked, answers, broken{}); code != 1 {
		t.Errorf("an answer that nobody takes ends with %d", code)
	}
	asked.Close()
	<-done
	if code := ask([]string{"who"}, broken{}, answers, &out); code != 1 {
		t.Errorf("a question that nobody takes ends with %d", code)
	}
	given.Close()
	if code := ask([]string{"who"}, io.Discard, answers, &out); code != 1 {
		t.Errorf("a question without an answer ends with %d", code)
	}
	answerAll(strings.NewReader("a\nb\n"), broken{}, func(string) (string, bool) { return "", true })
}
