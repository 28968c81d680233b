package retrieval

import "testing"

func TestIsTypo(t *testing.T) {
	for _, c := range []struct {
		word, known string
		want        bool
	}{
		{"gufoo", "gufo", true},
		{"prometeus", "prometheus", true},
		{"promethues", "prometheus", true},
		{"postgressql", "postgresql", true},
		{"grafna", "grafana", true},
		{"größse", "größe", true},
		{"max_slot_wal_kep_sise", "max_slot_wal_keep_size", true},

		{"jellyfin", "jelly", false},
		{"jellyfin", "gufo", false},
		{"jellyfin", "jellied", false},
		{"gitlab", "github", false},
		{"train", "trail", false},
		{"trian", "train", true},
		{"weighr", "weight", false},
		{"nextclaud", "nextcloud", true},
		{"plex", "flex", false},
		{"gufo", "guf", false},
		{"bold", "fold", false},
		{"hgufo", "gufo", false},
		{"10.20.10.54", "10.20.10.53", false},
		{"net.ipv6.ip_forward", "net.ipv4.ip_forward", false},
		{"net.ipv4.ip_forwad", "net.ipv4.ip_forward", true},
		{"gufo.pod", "gufo", false},
		{"", "gufo", false},
		{"gufoo", "", false},
	} {
		if got := isTypo(c.word, c.known); got != c.want {
			t.Errorf("%q for %q: %v", c.word, c.known, got)
		}
	}
}

func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"abc", "", 3}, {"", "abc", 3}, {"abc", "abc", 0}, {"abc", "abd", 1}, {"abc", "ac", 1}, {"abc", "abxc", 1},
		{"abc", "acb", 1}, {"ca", "abc", 3}, {"kitten", "sitting", 3}, {"ñandú", "nandu", 2},
	} {
		if got := editDistance([]rune(c.a), []rune(c.b)); got != c.want {
			t.Errorf("%q to %q: %d, want %d", c.a, c.b, got, c.want)
		}
		if back := editDistance([]rune(c.b), []rune(c.a)); back != c.want {
			t.Errorf("%q to %q: %d, want %d", c.b, c.a, back, c.want)
		}
	}
}
