package lexical

import "strings"

// stopWords are English function words and the words that questions are made
// of; they say nothing about what a text is about. Folded, not stemmed. What is
// left of a contraction without its ending (don't: don) belongs to them.
var stopWords = set(`
	a an the this that these those
	i me my mine we us our ours you your yours he him his she her hers it its they them their theirs
	myself yourself itself ourselves themselves who whom whose which what
	am is are was were be been being do does did doing done have has had having
	can could will would shall should may might must
	isn aren wasn weren don doesn didn haven hasn hadn couldn wouldn shouldn won mustn
	and or but nor so if then else than as because while until unless though although whether
	of at by for with about against between into through during to from in on onto upon off over under
	within without via per out up down
	how when where why there here again further once also just only very too more most much many some any
	each every both either neither other such same own all no not
	please let lets
`)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}
