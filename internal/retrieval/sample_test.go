package retrieval

import (
	"os"
	"slices"
	"strings"
	"testing"

	"bor/internal/llm/librarian"
)

// Every question about the sample knowledge base is judged right, and its right
// document goes into the prompt; one that asks to be shown a file finds that
// file first.
func TestSampleQuestions(t *testing.T) {
	t.Parallel()
	d := sampleBase(t)
	s := New(d, librarian.NewEmbedder(dimension), Options{})
	set, err := os.Open("../../sample/questions.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	report, err := s.EvalSet(t.Context(), set)
	if err != nil {
		t.Fatal(err)
	}
	if report.ToAnswer < 35 || report.ToDeflect < 15 || report.Hybrid.MRR10 < 0.93 || report.Gate.Precision != 1 || report.Gate.Recall != 1 {
		t.Errorf("%d to answer, %d to deflect, %+v, %+v", report.ToAnswer, report.ToDeflect, report.Hybrid, report.Gate)
	}
	for _, o := range report.Outcomes {
		last := 2
		if o.Kind == "show" {
			last = 1
		}
		if !o.Right() || o.Answer && (o.Rank == 0 || o.Rank > last) {
			t.Error(o.text())
		}
		// As it is used, without the evaluation's wider candidates.
		r := search(t, s, o.Question)
		rank := slices.IndexFunc(r.Hits, func(h Hit) bool { return o.grades[h.Identity()] > 0 }) + 1
		if r.Deflected == o.Answer || o.Answer && (rank == 0 || rank > last) {
			t.Errorf("as used: rank %d, deflected %v (%s): %s", rank, r.Deflected, r.Why, o.Question)
		}
	}
}

func TestGateOnTheSample(t *testing.T) {
	t.Parallel()
	s := New(sampleBase(t), librarian.NewEmbedder(dimension), Options{})
	for _, c := range []struct {
		question string
		answer   bool
		want     string // a top document, or what is missing
	}{
		// Spelled otherwise.
		{"show me the quadlet for gufoo", true, "homelab/quadlets/gufo.container"},
		{"show me the quadlet for Gufoo", true, "homelab/quadlets/gufo.container"},
		{"prometeus port", true, "homelab/compose/monitoring.yaml"},
		{"how do I renew the cert for postgres", true, "homelab/notes/tls.md"},
		{"RESTIC-CACERT", true, "homelab/systemd/restic.env"},
		{"what is MaxSlotWalKeepSize", true, "homelab/runbooks/disk-full.md"},
		{"Show me Caddy's quadlet", true, "homelab/quadlets/caddy.container"},
		{"what does the Gufo Quadlet look like?", true, "homelab/quadlets/gufo.container"},
		{"Wo läuft der DNS?", true, "homelab/dns.md"},
		{"zigbee2mqtt", true, "homelab/compose/mqtt.yaml"},

		// Things that aren't there, however near the rest is.
		{"Which port does the GitLab runner use?", false, "GitLab"},
		{"who owns 10.20.10.54?", false, "10.20.10.54"},
		{"what is net.ipv6.ip_forward?", false, "net.ipv6.ip_forward"},
		{"show me gufo.pod", false, "gufo.pod"},
		{"show me notes/wireguard.md", false, "notes/wireguard.md"},
		{"what does \"zram swap\" do?", false, "zram swap"},

		// Near misses in small letters, and questions about something else.
		{"show me the jellyfin container", false, ""},
		{"plex port", false, ""},
		{"show me the traefik quadlet", false, ""},
		{"which port does vaultwarden sit on?", false, ""},
		{"where is the nextcloud volume mounted?", false, ""},
		{"show me the compose file for home assistant", false, ""},
		{"what is swappiness set to?", false, ""},
		{"Zeig mir das Quadlet für Jellyfin", false, ""},
		{"how do I bake sourdough", false, ""},
		{"when does the train leave", false, ""},
		{"what is the time", false, ""},
		{"why is the sky blue?", false, ""},
		{"how tall is mount everest", false, ""},
		{"what should I name my daughter", false, ""},
		{"tell me a joke", false, ""},
		{"thanks!", false, ""},
	} {
		r := search(t, s, c.question)
		switch {
		case r.Deflected == c.answer:
			t.Errorf("%q: deflected %v, %s", c.question, r.Deflected, r.Why)
		case c.answer && !slices.Contains(identities(r.Top()), c.want):
			t.Errorf("%q: found %v", c.question, identities(r.Top()))
		case !c.answer && strings.Join(r.Missing, ", ") != c.want:
			t.Errorf("%q: missing %q, %s", c.question, r.Missing, r.Why)
		case r.Deflected && len(r.Hits) == 0:
			t.Errorf("%q: nothing near to name", c.question)
		}
	}
}
