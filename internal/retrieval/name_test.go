package retrieval

import (
	"slices"
	"testing"
)

func TestNamedDocuments(t *testing.T) {
	paths := []string{
		"quadlets/gufo.container", "quadlets/gufo-db.container", "quadlets/gufo-db.volume", "quadlets/gufo.network", "systemd/restic-backup.timer", "systemd/restic.env",
		"scripts/backup.sh", "compose/monitoring.yaml", "roles/dns/templates/unbound.conf.j2", "runbooks/upgrade.md", "kitchen/HTTPServer.md", "a/.env",
	}
	titles := map[string]string{"runbooks/upgrade.md": "Upgrade checklist"}
	var hits []*Hit
	for i, path := range paths {
		hits = append(hits, &Hit{DocumentID: int64(i), Source: "homelab", Path: path, Title: titles[path]})
	}
	for _, c := range []struct {
		question string
		terms    []Term
		want     []string
	}{
		{"show me the quadlet for gufo", nil, []string{"quadlets/gufo.container"}},
		{"the quadlet for gufoo", []Term{{Text: "gufo", For: "gufoo", Chunks: 3}}, []string{"quadlets/gufo.container"}},
		{"show me gufo.network", nil, []string{"quadlets/gufo.network"}},
		{"Show me the quadlet of the database behind Gufo", nil, []string{"quadlets/gufo-db.container"}},
		{"show me the restic timer", nil, []string{"systemd/restic-backup.timer"}},
		{"show me the backup script", nil, []string{"scripts/backup.sh"}},
		{"show me the compose file for monitoring", nil, []string{"compose/monitoring.yaml"}},
		{"Show me the unbound template", nil, []string{"roles/dns/templates/unbound.conf.j2"}},
		{"the upgrade checklist", nil, []string{"runbooks/upgrade.md"}},
		{"http server", nil, []string{"kitchen/HTTPServer.md"}},
		{"gufo db", nil, []string{"quadlets/gufo-db.container", "quadlets/gufo-db.volume"}},
		{"when do the nightly backups run?", nil, nil},
		{"which port does gufo publish on the host?", nil, nil},
		{"", nil, nil},
		{"show me the file", nil, nil},
	} {
		var got []string
		for _, id := range namedDocuments(c.question, c.terms, hits) {
			got = append(got, paths[id])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q names %q", c.question, got)
		}
	}
}

func TestLeaves(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{"net.ipv4.ip_forward", []string{"net", "ipv4", "ip", "forward"}},
		{"PublishPort=8642:8080", []string{"publish", "port", "8642", "8080"}},
		{"größe und maße", []string{"gross", "und", "mass"}},
	} {
		if got := leaves(c.text); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q", c.text, got)
		}
	}
}
