package sample

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf16"
)

// question is one line of questions.jsonl.
type question struct {
	ID       string   `json:"id"`
	Kind     string   `json:"kind"` // show, fact, identifier; nearmiss, offtopic
	Question string   `json:"question"`
	Expect   string   `json:"expect"` // answer for the first three kinds, else deflect
	Paths    []string `json:"paths"`  // the right documents, the best one first
	SHA256   string   `json:"sha256"` // show: of the first document's bytes
	Bytes    int      `json:"bytes"`  // show: its length
	Says     string   `json:"says"`   // fact, identifier: stands in the first document
	Absent   []string `json:"absent"` // deflect: occur in no file and no name
}

func readQuestions(t *testing.T) []question {
	t.Helper()
	content, err := os.ReadFile("questions.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var all []question
	for line := range strings.Lines(string(content)) {
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.DisallowUnknownFields()
		var q question
		if err := decoder.Decode(&q); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		all = append(all, q)
	}
	return all
}

// A question can only measure something while its answer is in the files, and
// while what a deflected one asks for is not.
func TestQuestionsFitTheFiles(t *testing.T) {
	tree := map[string][]byte{}
	var everything strings.Builder
	for path, content := range written(t) {
		tree["homelab/"+path] = content
		everything.WriteString(strings.ToLower(path + "\n" + decoded(content) + "\n"))
	}

	seen := map[string]bool{}
	kinds := map[string]int{}
	for _, q := range readQuestions(t) {
		if q.ID == "" || q.Question == "" || seen[q.ID] || seen[q.Question] {
			t.Errorf("%s %q: empty or twice", q.ID, q.Question)
		}
		seen[q.ID], seen[q.Question] = true, true
		kinds[q.Kind]++

		for _, path := range q.Paths {
			if _, ok := tree[path]; !ok {
				t.Errorf("%s: no document %s", q.ID, path)
			}
		}
		switch q.Kind {
		case "show":
			checkAnswer(t, q)
			first := tree[q.Paths[0]]
			if sum := sha256.Sum256(first); hex.EncodeToString(sum[:]) != q.SHA256 || len(first) != q.Bytes {
				t.Errorf("%s: %s has %d bytes, sha256 %x", q.ID, q.Paths[0], len(first), sum)
			}
		case "fact", "identifier":
			checkAnswer(t, q)
			if q.Says == "" || !strings.Contains(decoded(tree[q.Paths[0]]), q.Says) {
				t.Errorf("%s: %s doesn't say %q", q.ID, q.Paths[0], q.Says)
			}
		case "nearmiss", "offtopic":
			if q.Expect != "deflect" || len(q.Paths) != 0 || len(q.Absent) == 0 {
				t.Errorf("%s: a deflected question has no paths and names what is absent", q.ID)
			}
			for _, word := range q.Absent {
				if !strings.Contains(strings.ToLower(q.Question), word) {
					t.Errorf("%s: %q isn't in the question", q.ID, word)
				}
				if strings.Contains(everything.String(), word) {
					t.Errorf("%s: %q does occur in the files", q.ID, word)
				}
			}
		default:
			t.Errorf("%s: unknown kind %q", q.ID, q.Kind)
		}
	}
	for _, kind := range []string{"show", "fact", "identifier", "nearmiss", "offtopic"} {
		if kinds[kind] < 5 {
			t.Errorf("%d questions of kind %s, want at least 5", kinds[kind], kind)
		}
	}
}

func checkAnswer(t *testing.T, q question) {
	t.Helper()
	if q.Expect != "answer" || len(q.Paths) == 0 {
		t.Fatalf("%s: an answered question names its documents", q.ID)
	}
}

// decoded is the text of a file; of UTF-16LE too, which one of them is in.
func decoded(content []byte) string {
	rest, found := bytes.CutPrefix(content, []byte("\xff\xfe"))
	if !found {
		return string(content)
	}
	units := make([]uint16, len(rest)/2)
	for i := range units {
		units[i] = uint16(rest[2*i]) | uint16(rest[2*i+1])<<8
	}
	return string(utf16.Decode(units))
}
