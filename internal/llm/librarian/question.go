package librarian

import (
	"regexp"
	"slices"
	"strings"
)

// question is what somebody wants to see.
type question struct {
	terms []term
	keys  []string       // of the terms, each once, with what else they may be called
	whole bool           // a whole document: "show me X"
	lines lineRange      // given lines of it
	steps bool           // how something is done
	shape *regexp.Regexp // of what is asked for; nil when it can't be told
}

var (
	showVerb  = regexp.MustCompile(`(?i)^\W*(?:please\s+|can you\s+|could you\s+|would you\s+)*(?:show|cat|print|display|give|dump|view|open|paste|zeig|zeige|montre|montrez|muestra|muéstrame)\b`)
	asksHow   = regexp.MustCompile(`(?i)^\W*(?:please\s+)?\w+\s+(?:me\s+|us\s+|mir\s+|uns\s+)?(?:how|what|where|which|why|when|who|whether|if|wie|was|wo|warum)\b`)
	wantsAll  = regexp.MustCompile(`(?i)\b(?:whole|entire|full|complete)\s+(?:file|document|text|content|contents|config|script|quadlet|page|note)\b|\bcontents? of\b`)
	wantsBit  = regexp.MustCompile(`(?i)\b(?:section|part|paragraph|passage|stanza|block|line that|lines that|lines about)\b`)
	asksSteps = regexp.MustCompile(`(?i)\bhow\s+(?:do|can|could|should|would|to)\b|\bsteps?\b|\bprocedure\b|\brunbook\b`)
	asksWhen  = regexp.MustCompile(`(?i)\bwhen\b|\bwhat (?:time|date|day)\b`)
	asksLong  = regexp.MustCompile(`(?i)\bhow (?:long|often)\b`)
	asksCount = regexp.MustCompile(`(?i)\bhow (?:many|much|big|large|old|far|high)\b|\b(?:port|version|number|size|address)\b`)
	aDate     = regexp.MustCompile(`\d{4}-\d\d|\b\d{1,2}:\d\d\b|(?i:\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:daily|weekly|monthly|hourly)\b)`)
	aDuration = regexp.MustCompile(`(?i)\b\d+ ?(?:s|sec|seconds?|min|minutes?|h|hours?|d|days?|weeks?|months?|years?)\b|\b(?:hour|dai|week|month|year)ly\b|\bevery\b`)
	aNumber   = regexp.MustCompile(`\d`)
	asksLine  = regexp.MustCompile(`(?i)\blines?\s+(\d+)(?:\s*(?:-|–|to|until|bis)\s*(\d+))?`)
)

// readQuestion understands as much as it needs to: which terms matter, and
// whether a whole document is wanted or an answer.
func readQuestion(text string) question {
	q := question{terms: terms(text), steps: asksSteps.MatchString(text)}
	for _, key := range allKeys(q.terms) {
		q.want(key)
		for _, other := range aliases[key] {
			q.want(other)
		}
	}
	switch {
	case asksWhen.MatchString(text):
		q.shape = aDate
	case asksLong.MatchString(text):
		q.shape = aDuration
	case asksCount.MatchString(text):
		q.shape = aNumber
	}
	show := showVerb.MatchString(text) && !asksHow.MatchString(text) && !wantsBit.MatchString(text)
	q.whole = show || wantsAll.MatchString(text)
	if m := asksLine.FindStringSubmatch(text); m != nil {
		q.lines = lineRange{atoi(m[1]), atoi(m[1])}
		if m[2] != "" {
			q.lines.last = atoi(m[2])
		}
		if q.lines.first < 1 || q.lines.last < q.lines.first {
			q.lines = lineRange{}
		}
	}
	return q
}

func (q *question) want(key string) {
	if !slices.Contains(q.keys, key) {
		q.keys = append(q.keys, key)
	}
}

// aliases are other words for the same thing in notes about computers, by stem.
var aliases = map[string][]string{
	"databas": {"db"}, "db": {"databas"},
	"postgr": {"postgresql"}, "postgresql": {"postgr"},
	"configur": {"config"}, "config": {"configur"},
	"certificat": {"cert"}, "cert": {"certificat"},
	"disk": {"drive"}, "driv": {"disk"},
	"password": {"secret"}, "passwd": {"password"},
	"machin": {"host"}, "computer": {"host"},
	"january": {"01"}, "february": {"02"}, "march": {"03"}, "april": {"04"}, "june": {"06"},
	"july": {"07"}, "august": {"08"}, "september": {"09"}, "october": {"10"}, "november": {"11"}, "december": {"12"},
}

// names are ways in which people call kinds of files, by the stem of the word:
// how paths of such files end or what they hold.
var names = map[string][]string{
	"quadlet":     {".container"},
	"compos":      {"compose.yaml", "compose.yml", "/compose/"},
	"script":      {".sh", ".py"},
	"timer":       {".timer"},
	"servic":      {".service"},
	"network":     {".network"},
	"volum":       {".volume"},
	"pod":         {".pod"},
	"templat":     {".j2", ".tmpl"},
	"playbook":    {".yml", ".yaml"},
	"dashboard":   {".json"},
	"environment": {".env"},
}

// pick is the document that a question most likely names: by its path and
// title, then by its kind, then by its place in the prompt, which is the
// retrieval's opinion. −1 when there is none.
func pick(q question, documents []document) int {
	best, bestScore := -1, -1.0
	for i, d := range documents {
		if score := naming(q, d); score > bestScore+1e-9 {
			best, bestScore = i, score
		}
	}
	return best
}

// naming scores how well a question names a document.
func naming(q question, d document) float64 {
	path := strings.ToLower("/" + d.identity())
	named, file := map[string]bool{}, terms(d.path[strings.LastIndex(d.path, "/")+1:])
	for _, t := range append(terms(d.identity()), terms(d.title)...) {
		for _, part := range t.parts {
			named[part] = true
		}
	}
	asked := map[string]bool{}
	score := 0.0
	for _, t := range q.terms {
		if t.identifier() && strings.Contains(path, t.text) {
			score += 3
		}
		for _, part := range t.parts {
			if asked[part] {
				continue
			}
			asked[part] = true
			if named[part] {
				score += weight(part)
			}
			for _, sign := range names[part] {
				if strings.HasSuffix(path, sign) || strings.HasSuffix(sign, "/") && strings.Contains(path, sign) {
					score += 0.6
					break
				}
			}
		}
	}
	// A file whose name says more than was asked is likely another one.
	for _, t := range file {
		for _, part := range t.parts {
			if !asked[part] {
				score -= 0.1
			}
		}
	}
	return max(score, 0)
}
