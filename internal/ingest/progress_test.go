package ingest

import (
	"testing"
	"time"
)

func TestProgress(t *testing.T) {
	b := newBench(t)
	b.sample()
	b.write("bad.txt", "a\x00")
	b.write(".env", "KEY=1\n") // out of scope by its name: reported, and not waited for
	var steps []Progress
	b.run(Options{Progress: func(p Progress) { steps = append(steps, p) }}, "added=6 updated=0 unchanged=0 pruned=0 skipped=2 ")
	last := Progress{}
	if first := steps[0]; first.Phase != PhaseOpen || first.Source != "notes" || first.Seen != 0 {
		t.Errorf("it begins with %+v", first)
	}
	for _, p := range steps[1:] {
		if p.Files != 7 || p.Seen < last.Seen || p.Seen > 7 || p.Phase == PhaseFiles && p.Seen > 0 && (p.Source != "notes" || p.Current == "" || p.Rate <= 0) {
			t.Errorf("%+v", p)
		}
		last = p
	}
	if last.Seen != 7 || last.Added != 6 || last.Skipped != 2 || last.ETA != 0 || last.Phase != PhaseVectors {
		t.Errorf("at the end %+v", last)
	}
}

func TestPace(t *testing.T) {
	if rate, eta := pace(10, 30, 5*time.Second); rate != 2 || eta != 15*time.Second {
		t.Errorf("%v a second, %v left", rate, eta)
	}
	if rate, eta := pace(0, 30, time.Second); rate != 0 || eta != 0 {
		t.Errorf("%v a second, %v left", rate, eta)
	}
}
