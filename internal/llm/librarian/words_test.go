package librarian

import (
	"reflect"
	"slices"
	"testing"
)

func TestTerms(t *testing.T) {
	for _, c := range []struct {
		in   string
		want [][]string // parts of each term
	}{
		{"", nil},
		{"¿?!", nil},
		{"Restarting the backups", [][]string{{"restart"}, {"the"}, {"backup"}}},
		{"net.ipv4.ip_forward = 1.", [][]string{{"net", "ipv4", "ip", "forward"}, {"1"}}},
		{"--userns=keep-id", [][]string{{"usern"}, {"keep", "id"}}},
		{"ipForward HTTPServer", [][]string{{"ip", "forward"}, {"http", "server"}}},
		{"gufo.container, ok", [][]string{{"gufo", "container"}, {"ok"}}},
		{"10.20.10.53:5353", [][]string{{"10", "20", "10", "53", "5353"}}},
		{"a. b", [][]string{{"a"}, {"b"}}},
		{"größe-und Maße", [][]string{{"größe", "und"}, {"maße"}}},
	} {
		var got [][]string
		for _, term := range terms(c.in) {
			got = append(got, term.parts)
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

func TestCompoundIsTheSameInAnyCaseStyle(t *testing.T) {
	for _, spelling := range []string{"ip_forward", "ipForward", "ip-forward", "IP.Forward", "IPForward"} {
		if got := terms(spelling)[0].compound(); got != "ipforward" {
			t.Errorf("%s: %s", spelling, got)
		}
	}
}

func TestStem(t *testing.T) {
	for _, same := range [][]string{
		{"backup", "backups"}, {"restore", "restores", "restored", "restoring"}, {"map", "mapped", "mapping", "maps"},
		{"entry", "entries"}, {"box", "boxes"}, {"pass", "passes"}, {"certificate", "certificates"}, {"class", "classes"},
	} {
		for _, w := range same {
			if stem(w) != stem(same[0]) {
				t.Errorf("%s → %s, but %s → %s", w, stem(w), same[0], stem(same[0]))
			}
		}
	}
	for _, kept := range []string{"status", "analysis", "ipv4s", "ring", "red", "größes"} {
		if got := stem(kept); got != kept {
			t.Errorf("%s → %s", kept, got)
		}
	}
}

func TestKeys(t *testing.T) {
	got := allKeys(terms("the last time gufo.container failed"))
	for _, want := range []string{"last time", "gufo", "container", "=gufocontainer", "fail"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	for _, key := range []string{"the last", "time gufo"} {
		if slices.Contains(got, key) {
			t.Errorf("%q has %q", got, key)
		}
	}
}

func FuzzTerms(f *testing.F) {
	f.Add("net.ipv4.ip_forward --userns=keep-id HTTPServer é\u0301 \xff")
	f.Fuzz(func(t *testing.T, in string) {
		for _, term := range terms(in) {
			if len(term.parts) == 0 {
				t.Fatalf("%q: a term without parts", in)
			}
		}
	})
}
