package lexical

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func texts(terms []Term) (list []string) {
	for _, t := range terms {
		list = append(list, t.Text)
	}
	return list
}

func TestTerms(t *testing.T) {
	for text, want := range map[string]string{
		"":                                       "",
		"?!… — (…)":                              "",
		"Show me the quadlets for Gufo":          "show quadlet gufo",
		"the of and":                             "",
		"restarted restarting restarts":          "restart",
		"configure configured configuring":       "configur",
		"policies policy":                        "polici",
		"controlled control":                     "control",
		"status statuses DNS dns IS3":            "status dns is3",
		"net.ipv4.ip_forward":                    "net.ipv4.ip_forward net ipv4 ip_forward ipforward ip forward",
		"ip-forward ip_forward ipForward":        "ip-forward ipforward ip forward ip_forward",
		"--userns=keep-id":                       "userns=keep-id usern keep-id keepid keep id",
		"PublishPort=8080:80":                    "publishport=8080:80 publishport publish port 8080 80",
		"HTTPServer VMs getURLs":                 "httpserver http server vms geturls get url",
		"quadlets/gufo.container":                "quadlets/gufo.container quadlet gufo.container gufo container",
		`C:\Users\me`:                            "c:/users/me user",
		"10.0.0.7 3.11 10.0.0.0/24":              "10.0.0.7 3.11 10.0.0.0/24 10.0.0.0 24",
		"what's Gufo's isn't O'Brien's l’état":   "gufo obrien brien letat",
		"Café ﬁle Straße ＡＢＣ":                    "cafe file strass abc",
		"Σίσυφος ΣΊΣΥΦΟΣ":                        "σισυφοσ",
		"显示配置":                                   "显示 示配 配置",
		"用 Podman 运行nginx容器":                     "用 podman 运行 nginx 容器",
		"컨테이너를":                                  "컨테 테이 이너 너를",
		"e.g. this, i.e. that...":                "e.g i.e",
		"a_b x-1 __init__":                       "a_b ab x-1 x1 init",
		"end.":                                   "end",
		strings.Repeat("x", 100):                 strings.Repeat("x", 100),
		strings.Repeat("x", 101):                 "",
		strings.Repeat("y", 95) + "/etc/hosts_x": strings.Repeat("y", 95) + " etc hosts_x hostsx host",
	} {
		if got := strings.Join(texts(Terms(text)), " "); got != want {
			t.Errorf("%q:\n got %s\nwant %s", text, got, want)
		}
	}
}

func TestTermsKnowWhereTheyStand(t *testing.T) {
	terms := Terms("Gufo runs the gufo.container, and gufo sleeps")
	want := map[string][]int{"gufo": {1, 4, 6}, "run": {2}, "gufo.container": {4}, "container": {4}, "sleep": {7}}
	if len(terms) != len(want) {
		t.Errorf("%v", terms)
	}
	for _, term := range terms {
		if !slices.Equal(term.Positions, want[term.Text]) {
			t.Errorf("%s at %v, want %v", term.Text, term.Positions, want[term.Text])
		}
	}
}

func TestStem(t *testing.T) {
	for w, want := range map[string]string{
		"dns": "dns", "caresses": "caress", "ponies": "poni", "cats": "cat", "access": "access", "analysis": "analysis",
		"feed": "feed", "agreed": "agre", "plastered": "plaster", "bled": "bled", "motoring": "motor", "sing": "sing",
		"conflated": "conflat", "troubled": "troubl", "sized": "size", "hopping": "hop", "falling": "fall", "hissing": "hiss",
		"failing": "fail", "filing": "file", "happy": "happi", "sky": "sky", "say": "say", "enjoys": "enjoy", "syzygy": "syzygi",
		"rate": "rate", "probate": "probat", "cease": "ceas", "roll": "roll", "controll": "control",
		"ipv6s": "ipv6s", "über": "über", "boxing": "box", "snowed": "snow",
	} {
		if got := stem(w); got != want {
			t.Errorf("%s: %s, want %s", w, got, want)
		}
	}
}

func TestIndex(t *testing.T) {
	x := NewIndex(Chunk{Title: "Gufo", Path: "homelab/quadlets/gufo.container", Heading: "Network", Text: "Image=it's\nthe image"})
	want := "'container':3,4 'gufo':1,2,3,4 'gufo.container':3,4 'homelab':3 'homelab/quadlets/gufo.container':3 " +
		"'imag':6,8 'image=it':6 'network':5 'quadlet':3"
	if x.Vector != want {
		t.Errorf("vector\n%s\nwant\n%s", x.Vector, want)
	}
	if x.Length != 3 {
		t.Errorf("length %d, want 3", x.Length)
	}
	if !slices.IsSorted(x.Terms) || len(x.Terms) != 9 {
		t.Errorf("terms %v", x.Terms)
	}
	if empty := NewIndex(Chunk{}); empty.Vector != "" || empty.Length != 0 || empty.Terms != nil {
		t.Errorf("empty: %+v", empty)
	}
}

func TestPositionsKeepToPostgresLimits(t *testing.T) {
	x := NewIndex(Chunk{Text: strings.Repeat("gufo ", 300) + strings.Repeat("the ", 20000) + "last words"})
	gufo, rest, _ := strings.Cut(x.Vector, " ")
	if n := strings.Count(gufo, ",") + 1; n != 255 {
		t.Errorf("%d positions of one term, want 255", n)
	}
	if rest != "'last':16383 'word':16383" {
		t.Errorf("beyond the last position: %s", rest)
	}
	if x.Length != 20302 {
		t.Errorf("length %d, want 20302", x.Length)
	}
}

func TestQuery(t *testing.T) {
	if got := Query(Terms("the gufo.container")); got != "'gufo.container' | 'gufo' | 'container'" {
		t.Error(got)
	}
	if got := Query(Terms("the")); got != "" {
		t.Error(got)
	}
	if got := Quote(`it's \ here`); got != `'it''s \\ here'` {
		t.Error(got)
	}
}

func TestThings(t *testing.T) {
	for question, want := range map[string][]string{ // a weak thing begins with ~
		"Show me the quadlet for Jellyfin":                    {"Jellyfin"},
		"show me the quadlet for gufo":                        nil,
		"Jellyfin quadlet?":                                   {"~Jellyfin"},
		"Is it up? Jellyfin, I mean. Restart it":              {"~Jellyfin"},
		"Home Assistant config?":                              {"~Home Assistant", "Assistant"},
		"where does Home Assistant keep its data":             {"Home Assistant"},
		"Where is Gufo's Caddyfile":                           {"Gufo", "Caddyfile"},
		"What is net.ipv4.ip_forward set to?":                 {"net.ipv4.ip_forward"},
		"how does --userns=keep-id work":                      {"userns=keep-id"},
		"which port does \"AdGuard Home\" use":                {"AdGuard Home"},
		"which port does “adguard home” use":                  {"adguard home"},
		"what does the `gufo.container` do":                   {"gufo.container"},
		"is it read-only and/or shared, e.g. at 3.11 or 24/7": {"~read-only", "~and/or"},
		"Give me the JSON of PodmanArgs":                      {"~JSON", "PodmanArgs"},
		"who has 10.0.0.7 or 8080:80":                         {"10.0.0.7"},
		"How Do I Install Podman":                             nil, // all capitals: no names
		"SHOW ME GUFO":                                        nil,
		"which of Gufo, Gufo or gufo":                         {"Gufo"},
		"don't use 6\" discs or 'til \"":                      nil,
		"is \"the of\" there":                                 nil,
		"a 'quoted\nline' ends":                               nil,
		"":                                                    nil,
	} {
		var got []string
		for _, thing := range Things(question) {
			text := thing.Text
			if thing.Weak {
				text = "~" + text
			}
			got = append(got, text)
			if len(thing.Terms) == 0 || thing.Query == "" {
				t.Errorf("%q: empty thing %+v", question, thing)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q:\n got %q\nwant %q", question, got, want)
		}
	}
}

func TestThingQueries(t *testing.T) {
	for question, want := range map[string]string{
		"of Jellyfin":           "'jellyfin'",
		"of gufo.container":     "'gufo.container' | ('gufo' & 'container')",
		"of Home Assistant":     "('home' <1> 'assistant') | ('home' <0> 'assistant') | 'homeassistant'",
		"\"Lord of the Rings\"": "('lord' <3> 'ring') | ('lord' <0> 'ring') | 'lordoftherings'",
		"of 10.0.0.7":           "'10.0.0.7'",
		"«it's Gufo's, \\o/»":   "('gufo' <1> 'o') | ('gufo' <0> 'o') | 'itgufoo'",
	} {
		things := Things(question)
		if len(things) != 1 || things[0].Query != want {
			t.Errorf("%s: %+v, want %s", question, things, want)
		}
	}
}

// lexemes reads back the text of a tsvector, or fails.
func lexemes(t *testing.T, vector string) (list []string) {
	for rest := vector; rest != ""; {
		if rest[0] != '\'' {
			t.Fatalf("%q: a quote was expected at %q", vector, rest)
		}
		var lexeme strings.Builder
		i := 1
		for ; i < len(rest); i++ {
			if rest[i] == '\'' && strings.HasPrefix(rest[i+1:], "'") || rest[i] == '\\' {
				i++
			} else if rest[i] == '\'' {
				break
			}
			lexeme.WriteByte(rest[i])
		}
		list = append(list, lexeme.String())
		positions, next, _ := strings.Cut(rest[i+1:], " ")
		if strings.Trim(positions, ":,0123456789") != "" || !strings.HasPrefix(positions, ":") {
			t.Fatalf("%q: bad positions %q", vector, positions)
		}
		rest = next
	}
	return list
}

func FuzzIndex(f *testing.F) {
	for _, seed := range []string{"gufo.container", `it's \'quoted\' ''`, "名前 ไทย \u0301x", "\xff\xfe", "a.b.c-d_e/f:g@h+i", "ABCDef", "''", "Ǆ ẞ İ"} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, title, text string) {
		if len(title)+len(text) > 4000 {
			return
		}
		x := NewIndex(Chunk{Title: title, Path: title, Heading: text, Text: text})
		if got := lexemes(t, x.Vector); !slices.Equal(got, x.Terms) {
			t.Fatalf("the vector has %q, the terms are %q", got, x.Terms)
		}
		for _, term := range x.Terms {
			if term == "" || len(term) > maxTermBytes || !utf8.ValidString(term) || strings.ContainsAny(term, "\x00 ") {
				t.Fatalf("bad term %q", term)
			}
		}
		// What is written is found: each term of the text is one of its index.
		for _, term := range Terms(text) {
			if _, found := slices.BinarySearch(x.Terms, term.Text); !found {
				t.Fatalf("%q is a term of %q and not of its index", term.Text, text)
			}
		}
	})
}

func FuzzThings(f *testing.F) {
	for _, seed := range []string{"Show me the quadlet for Jellyfin", "“Café Müller” or `x.y`", "It's O'Brien's", "a-b/c_d.e=f", "Ü '", "A B C d", "«»\"\"``"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, question string) {
		if len(question) > 4000 {
			return
		}
		for _, thing := range Things(question) {
			if len(thing.Terms) == 0 || thing.Query == "" || thing.Text != strings.TrimSpace(thing.Text) || !strings.Contains(question, thing.Text) {
				t.Fatalf("%q: bad thing %+v", question, thing)
			}
		}
	})
}
