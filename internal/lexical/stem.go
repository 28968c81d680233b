package lexical

import "strings"

// stem takes the commonest English endings off a folded word, so that container
// and containers, restart and restarted, policy and policies are one term. It
// follows steps 1 and 5 of Porter's algorithm ("An algorithm for suffix
// stripping", Program 14(3), 1980), which undo inflection; the others, which undo
// derivation (organization and organ), are left out. Words with digits or
// letters beyond a to z stay as they are, and so do words of three letters.
func stem(w string) string {
	if len(w) <= 3 {
		return w
	}
	for i := range len(w) {
		if w[i] < 'a' || w[i] > 'z' {
			return w
		}
	}
	w = plurals(w)
	w = pastAndGerund(w)
	if stemmed, ok := strings.CutSuffix(w, "y"); ok && len(stemmed) > 1 && hasVowel(stemmed) && !vowel(stemmed, len(stemmed)-1) {
		w = stemmed + "i"
	}
	return finalLetter(w)
}

// plurals is step 1a.
func plurals(w string) string {
	switch {
	case strings.HasSuffix(w, "sses"):
		return w[:len(w)-2]
	case strings.HasSuffix(w, "ies"):
		return w[:len(w)-2]
	case strings.HasSuffix(w, "ss"), strings.HasSuffix(w, "us"), strings.HasSuffix(w, "is"):
		return w // status, analysis, axis
	case strings.HasSuffix(w, "s"):
		return w[:len(w)-1]
	}
	return w
}

// pastAndGerund is step 1b.
func pastAndGerund(w string) string {
	if strings.HasSuffix(w, "eed") {
		if measure(w[:len(w)-3]) > 0 {
			return w[:len(w)-1]
		}
		return w
	}
	root, ok := strings.CutSuffix(w, "ed")
	if !ok {
		root, ok = strings.CutSuffix(w, "ing")
	}
	if !ok || !hasVowel(root) {
		return w
	}
	switch {
	case strings.HasSuffix(root, "at"), strings.HasSuffix(root, "bl"), strings.HasSuffix(root, "iz"):
		return root + "e"
	case doubled(root) && !strings.ContainsAny(root[len(root)-1:], "lsz"):
		return root[:len(root)-1]
	case measure(root) == 1 && shortEnd(root):
		return root + "e"
	}
	return root
}

// finalLetter is step 5: configure meets configuring, controlled meets control.
func finalLetter(w string) string {
	if root, ok := strings.CutSuffix(w, "e"); ok {
		if m := measure(root); m > 1 || m == 1 && !shortEnd(root) {
			return root
		}
	}
	if strings.HasSuffix(w, "ll") && measure(w) > 1 {
		return w[:len(w)-1]
	}
	return w
}

// vowel tells whether the letter at i is a vowel; y is one after a consonant.
func vowel(w string, i int) bool {
	switch w[i] {
	case 'a', 'e', 'i', 'o', 'u':
		return true
	case 'y':
		return i > 0 && !vowel(w, i-1)
	}
	return false
}

func hasVowel(w string) bool {
	for i := range len(w) {
		if vowel(w, i) {
			return true
		}
	}
	return false
}

// measure counts the times that a consonant follows a vowel.
func measure(w string) (m int) {
	for i := 1; i < len(w); i++ {
		if vowel(w, i-1) && !vowel(w, i) {
			m++
		}
	}
	return m
}

func doubled(w string) bool {
	n := len(w)
	return n >= 2 && w[n-1] == w[n-2] && !vowel(w, n-1)
}

// shortEnd tells whether w ends consonant, vowel, consonant, the last not w, x or y.
func shortEnd(w string) bool {
	n := len(w)
	return n >= 3 && !vowel(w, n-1) && vowel(w, n-2) && !vowel(w, n-3) && !strings.ContainsAny(w[n-1:], "wxy")
}
