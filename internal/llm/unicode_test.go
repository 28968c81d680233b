package llm

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestUnquote(t *testing.T) {
	for raw, want := range map[string]string{
		`""`:                     "",
		`"a\"b\\c\/d\n\t\r\b\f"`: "a\"b\\c/d\n\t\r\b\f",
		`"\u00e9\u00C9"`:         "éÉ",
		`"\u0000"`:               "\x00",
		`"\ud83d\ude00"`:         "\xed\xa0\xbd\xed\xb8\x80",
		"\"\xf0\x9f\"":           "\xf0\x9f",
		`"`:                      "",
	} {
		if got := unquote([]byte(raw)); got != want {
			t.Errorf("%s: %q, want %q", raw, got, want)
		}
	}
}

func joined(pieces ...string) (out string) {
	var j textJoiner
	for _, p := range pieces {
		out += j.write(p)
	}
	return out + j.flush()
}

func TestTextJoiner(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain é 😀", "plain é 😀"},
		{"nul \x00 here", "nul \ufffd here"},
		{"bad \xff byte", "bad \ufffd byte"},
		{"cut \xf0\x9f", "cut \ufffd\ufffd"},
		{"\xed\xa0\xbd\xed\xb8\x80", "😀"},
		{"x\xed\xa0\xbdy", "x\ufffdy"},
		{"x\xed\xb8\x80y", "x\ufffdy"},
		{"x\xed\xa0\xbd", "x\ufffd"},
		{"\xed\xa0\xbd\xed\xa0\xbd\xed\xb8\x80", "\ufffd😀"},
	} {
		for _, cut := range append(halves(c.in), everyByte(c.in)) {
			if got := joined(cut...); got != c.want {
				t.Errorf("cut as %q: %q, want %q", cut, got, c.want)
			}
		}
	}
}

func FuzzTextJoiner(f *testing.F) {
	f.Add("é\xf0\x9f\x98\x80\xed\xa0\xbd\xed\xb8\x80\xff", 2)
	f.Fuzz(func(t *testing.T, in string, at int) {
		at = max(0, at) % (len(in) + 1)
		whole := joined(in)
		if cut := joined(in[:at], in[at:]); cut != whole {
			t.Fatalf("cut at %d: %q, whole %q", at, cut, whole)
		}
		if !utf8.ValidString(whole) {
			t.Fatalf("%q is not valid", whole)
		}
	})
}

func FuzzUnquote(f *testing.F) {
	f.Add("a\"\\\n\u00e9😀")
	f.Fuzz(func(t *testing.T, in string) {
		if !utf8.ValidString(in) {
			in = strings.ToValidUTF8(in, "?")
		}
		raw, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		if got := unquote(raw); got != in {
			t.Fatalf("%q, want %q", got, in)
		}
	})
}
