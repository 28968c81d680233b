package agent

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestParseReadCard(t *testing.T) {
	two := []CardLine{{Number: 3, Text: "a"}, {Number: 4, Text: "\tb\r"}}
	for name, c := range map[string]struct {
		stored string
		want   *ReadCard // nil: the generic card
	}{
		"whole": {`{"path":"s/p","offset":3,"lines":[{"number":3,"text":"a"},{"number":4,"text":"\tb\r"}],"totalLines":9,"lang":"go"}`,
			&ReadCard{"s/p", 3, two, 9, "go"}},
		"without lang":               {`{"path":"s/p","offset":3,"lines":[{"number":3,"text":"a"},{"number":4,"text":"\tb\r"}],"totalLines":4}`, &ReadCard{"s/p", 3, two, 4, ""}},
		"unknown keys":               {`{"path":"s/p","offset":3,"lines":[{"number":3,"text":"a","x":1},{"number":4,"text":"\tb\r"}],"totalLines":4,"more":[]}`, &ReadCard{"s/p", 3, two, 4, ""}},
		"no lines":                   {`{"path":"s/p","offset":7,"lines":[],"totalLines":9}`, &ReadCard{"s/p", 7, nil, 9, ""}},
		"empty document":             {`{"path":"s/p","offset":1,"lines":[],"totalLines":0}`, &ReadCard{"s/p", 1, nil, 0, ""}},
		"first number above offset":  {`{"path":"s/p","offset":1,"lines":[{"number":3,"text":""}],"totalLines":3}`, &ReadCard{"s/p", 1, []CardLine{{3, ""}}, 3, ""}},
		"a gap":                      {`{"path":"s/p","offset":1,"lines":[{"number":1,"text":""},{"number":3,"text":""}],"totalLines":3}`, &ReadCard{"s/p", 1, []CardLine{{1, ""}, {3, ""}}, 3, ""}},
		"absent":                     {``, nil},
		"null":                       {`null`, nil},
		"not JSON":                   {`{"path":`, nil},
		"a string":                   {`"s/p"`, nil},
		"a list":                     {`[]`, nil},
		"empty object":               {`{}`, nil},
		"no path":                    {`{"offset":1,"lines":[],"totalLines":0}`, nil},
		"no offset":                  {`{"path":"s/p","lines":[],"totalLines":0}`, nil},
		"no lines key":               {`{"path":"s/p","offset":1,"totalLines":0}`, nil},
		"no total":                   {`{"path":"s/p","offset":1,"lines":[]}`, nil},
		"other spelling of a key":    {`{"Path":"s/p","offset":1,"lines":[],"totalLines":0}`, nil},
		"empty path":                 {`{"path":"","offset":1,"lines":[],"totalLines":0}`, nil},
		"path a number":              {`{"path":1,"offset":1,"lines":[],"totalLines":0}`, nil},
		"path null":                  {`{"path":null,"offset":1,"lines":[],"totalLines":0}`, nil},
		"offset a string":            {`{"path":"s/p","offset":"1","lines":[],"totalLines":0}`, nil},
		"offset 0":                   {`{"path":"s/p","offset":0,"lines":[],"totalLines":0}`, nil},
		"offset negative":            {`{"path":"s/p","offset":-2,"lines":[],"totalLines":0}`, nil},
		"offset no integer":          {`{"path":"s/p","offset":1.5,"lines":[],"totalLines":2}`, nil},
		"offset too big":             {`{"path":"s/p","offset":1e99,"lines":[],"totalLines":2}`, nil},
		"lines null":                 {`{"path":"s/p","offset":1,"lines":null,"totalLines":0}`, nil},
		"lines an object":            {`{"path":"s/p","offset":1,"lines":{},"totalLines":0}`, nil},
		"total negative":             {`{"path":"s/p","offset":1,"lines":[],"totalLines":-1}`, nil},
		"total a string":             {`{"path":"s/p","offset":1,"lines":[],"totalLines":"1"}`, nil},
		"lang a number":              {`{"path":"s/p","offset":1,"lines":[],"totalLines":0,"lang":1}`, nil},
		"lang null":                  {`{"path":"s/p","offset":1,"lines":[],"totalLines":0,"lang":null}`, nil},
		"entry a string":             {`{"path":"s/p","offset":1,"lines":["a"],"totalLines":1}`, nil},
		"entry null":                 {`{"path":"s/p","offset":1,"lines":[null],"totalLines":1}`, nil},
		"entry without number":       {`{"path":"s/p","offset":1,"lines":[{"text":"a"}],"totalLines":1}`, nil},
		"entry without text":         {`{"path":"s/p","offset":1,"lines":[{"number":1}],"totalLines":1}`, nil},
		"entry with a wrong text":    {`{"path":"s/p","offset":1,"lines":[{"number":1,"text":1}],"totalLines":1}`, nil},
		"entry with a wrong number":  {`{"path":"s/p","offset":1,"lines":[{"number":"1","text":"a"}],"totalLines":1}`, nil},
		"entry number no integer":    {`{"path":"s/p","offset":1,"lines":[{"number":1.5,"text":"a"}],"totalLines":2}`, nil},
		"entry number negative":      {`{"path":"s/p","offset":1,"lines":[{"number":-1,"text":"a"}],"totalLines":2}`, nil},
		"first number below offset":  {`{"path":"s/p","offset":2,"lines":[{"number":1,"text":"a"}],"totalLines":2}`, nil},
		"numbers repeat":             {`{"path":"s/p","offset":1,"lines":[{"number":1,"text":"a"},{"number":1,"text":"b"}],"totalLines":2}`, nil},
		"numbers fall":               {`{"path":"s/p","offset":1,"lines":[{"number":2,"text":"a"},{"number":1,"text":"b"}],"totalLines":2}`, nil},
		"numbers pass the total":     {`{"path":"s/p","offset":1,"lines":[{"number":1,"text":"a"},{"number":2,"text":"b"}],"totalLines":1}`, nil},
		"one good entry and one bad": {`{"path":"s/p","offset":1,"lines":[{"number":1,"text":"a"},7],"totalLines":2}`, nil},
	} {
		got, ok := ParseReadCard(json.RawMessage(c.stored))
		if c.want == nil {
			if ok || !reflect.DeepEqual(got, ReadCard{}) {
				t.Errorf("%s: %+v, %v; want none", name, got, ok)
			}
		} else if !ok || !reflect.DeepEqual(got, *c.want) {
			t.Errorf("%s: %+v, %v; want %+v", name, got, ok, *c.want)
		}
	}
}

func TestReadCardSurvivesStorage(t *testing.T) {
	card := ReadCard{Path: "s/p", Offset: 2, Lines: []CardLine{{2, "</pre>\u2028\x01"}}, TotalLines: 2, Lang: "ini"}
	stored, err := json.Marshal(card)
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := ParseReadCard(stored); !ok || !reflect.DeepEqual(got, card) {
		t.Errorf("%s came back as %+v, %v", stored, got, ok)
	}
}

func FuzzParseReadCard(f *testing.F) {
	f.Add([]byte(`{"path":"s/p","offset":3,"lines":[{"number":3,"text":"a"}],"totalLines":9,"lang":"go"}`))
	f.Add([]byte(`{"path":"s/p","offset":0,"lines":[null],"totalLines":-1}`))
	f.Fuzz(func(t *testing.T, stored []byte) {
		card, ok := ParseReadCard(stored)
		if !ok {
			return
		}
		if card.Path == "" || card.Offset < 1 || card.TotalLines < 0 {
			t.Fatalf("%s gave %+v", stored, card)
		}
		for i, line := range card.Lines {
			if line.Number < card.Offset || line.Number > card.TotalLines || i > 0 && line.Number <= card.Lines[i-1].Number {
				t.Fatalf("%s gave %+v", stored, card)
			}
		}
	})
}
