package tools

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"bor/internal/agent"
	"bor/internal/kb"
)

// kinds of parameters.
const (
	text   = "string"
	number = "integer"
)

// parameter is one that a tool takes.
type parameter struct {
	name     string
	kind     string
	required bool
	about    string
	example  string // in JSON
}

// signature is what a tool takes, from which both its schema and the check of
// its arguments are made.
type signature struct {
	tool       string
	parameters []parameter
}

// schema is the JSON schema of the arguments.
func (s signature) schema() json.RawMessage {
	type property struct {
		Type        string `json:"type"`
		Description string `json:"description"`
	}
	properties := map[string]property{}
	required := []string{}
	for _, p := range s.parameters {
		properties[p.name] = property{p.kind, p.about}
		if p.required {
			required = append(required, p.name)
		}
	}
	out, err := json.Marshal(map[string]any{
		"type": "object", "properties": properties, "required": required, "additionalProperties": false,
	})
	if err != nil {
		panic(err) // strings only
	}
	return out
}

// arguments are those of a call that fits its signature.
type arguments struct {
	texts   map[string]string
	numbers map[string]int
}

// text is the named string, or "" when it wasn't passed.
func (a arguments) text(name string) string { return a.texts[name] }

// number is the named number, or nil when it wasn't passed.
func (a arguments) number(name string) *int {
	if n, ok := a.numbers[name]; ok {
		return &n
	}
	return nil
}

// parse reads what a model wrote. null counts as not passed. Anything that
// doesn't fit is refused with all that is wrong and the right shape (AG1).
func (s signature) parse(raw string) (arguments, error) {
	if strings.TrimSpace(raw) == "" {
		raw = "{}"
	}
	decoder := json.NewDecoder(strings.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil || strings.TrimSpace(raw[decoder.InputOffset():]) != "" {
		return arguments{}, s.refuse([]string{"they are not valid JSON"})
	}
	given, ok := value.(map[string]any)
	if !ok {
		return arguments{}, s.refuse([]string{"they have to be an object, not " + kindOf(value)})
	}
	parsed := arguments{texts: map[string]string{}, numbers: map[string]int{}}
	var wrong []string
	for _, p := range s.parameters {
		value := given[p.name]
		delete(given, p.name)
		if problem := parsed.take(p, value); problem != "" {
			wrong = append(wrong, problem)
		}
	}
	var extra []string
	for name := range given {
		extra = append(extra, fmt.Sprintf("there is no %q", kb.FirstChars(name, 40)))
	}
	slices.Sort(extra)
	if wrong = append(wrong, extra...); len(wrong) > 0 {
		return arguments{}, s.refuse(wrong)
	}
	return parsed, nil
}

// take puts one value in its place, or says what is wrong with it.
func (a arguments) take(p parameter, value any) (problem string) {
	if value == nil {
		if p.required {
			return fmt.Sprintf("%q is missing", p.name)
		}
		return ""
	}
	if p.kind == text {
		s, ok := value.(string)
		if !ok {
			return fmt.Sprintf("%q has to be a string, not %s", p.name, kindOf(value))
		}
		a.texts[p.name] = kb.Storable(s)
		return ""
	}
	n, ok := value.(json.Number)
	if !ok {
		return fmt.Sprintf("%q has to be a number, not %s", p.name, kindOf(value))
	}
	f, err := n.Float64()
	if err != nil || f != math.Trunc(f) || math.Abs(f) > math.MaxInt32 {
		return fmt.Sprintf("%q has to be a whole number of lines", p.name)
	}
	a.numbers[p.name] = int(f)
	return ""
}

func (s signature) refuse(wrong []string) agent.Refusal {
	var shape, optional []string
	for _, p := range s.parameters {
		shape = append(shape, fmt.Sprintf("%q: %s", p.name, p.example))
		if !p.required {
			optional = append(optional, p.name)
		}
	}
	text := fmt.Sprintf("The arguments of %s don't fit: %s. The right shape: {%s}", s.tool, strings.Join(wrong, "; "), strings.Join(shape, ", "))
	if len(optional) > 0 {
		text += "; " + strings.Join(optional, " and ") + " may be left out"
	}
	return agent.Refusal(text + ".")
}

func kindOf(value any) string {
	switch value.(type) {
	case string:
		return "a string"
	case json.Number:
		return "a number"
	case bool:
		return "true or false"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	default:
		return "null"
	}
}

// bare is a path without the white space, back-quotes and outer slash that
// models put around it.
func bare(path string) string {
	return strings.TrimRight(strings.Trim(path, " \t\r\n`"), "/")
}
