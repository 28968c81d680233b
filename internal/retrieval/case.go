package retrieval

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Case is one labelled question of an evaluation set.
type Case struct {
	ID       string
	Kind     string
	Question string
	Answer   bool     // false: the gate should deflect it
	Paths    []string // the right documents, as source/path or as a path alone
}

// maxCaseBytes bounds a line of an evaluation set.
const maxCaseBytes = 1 << 20

// ReadCases reads an evaluation set: one JSON object a line with question,
// paths and expect ("answer" or "deflect"; without it, a question with paths
// wants an answer and one without is to be deflected), and optionally id and
// kind. Other keys and empty lines are passed over. Errors name the line.
func ReadCases(r io.Reader) ([]Case, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxCaseBytes)
	var cases []Case
	n := 0
	for lines.Scan() {
		n++
		line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		if line == "" {
			continue
		}
		c, err := parseCase(line)
		if err != nil {
			return nil, fmt.Errorf("line %d of the question set: %w", n, err)
		}
		if c.ID == "" {
			c.ID = fmt.Sprintf("line %d", n)
		}
		cases = append(cases, c)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d of the question set: %w", n+1, err)
	}
	if len(cases) == 0 {
		return nil, errors.New("the question set is empty: give one JSON object a line, with question, expect and paths")
	}
	return cases, nil
}

func parseCase(line string) (Case, error) {
	var read struct {
		ID, Kind, Question, Expect string
		Paths                      []string
	}
	if err := json.Unmarshal([]byte(line), &read); err != nil {
		return Case{}, fmt.Errorf("not the JSON object that belongs there: %w", err)
	}
	c := Case{ID: read.ID, Kind: read.Kind, Question: read.Question, Paths: read.Paths}
	switch read.Expect {
	case "answer":
		c.Answer = true
	case "deflect":
	case "":
		c.Answer = len(read.Paths) > 0
	default:
		return Case{}, fmt.Errorf("expect is %q: it has to be answer or deflect", read.Expect)
	}
	switch {
	case strings.TrimSpace(c.Question) == "":
		return Case{}, errors.New("there is no question")
	case c.Answer && len(c.Paths) == 0:
		return Case{}, errors.New("a question to answer needs paths, the documents that answer it")
	}
	return c, nil
}
