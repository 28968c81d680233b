package tools

import "testing"

func TestSpans(t *testing.T) {
	var s spans
	for _, step := range []struct {
		first, last int
		want        string
	}{
		{10, 20, "10-20"}, {30, 40, "10-20, 30-40"}, {1, 0, "10-20, 30-40"}, {12, 15, "10-20, 30-40"},
		{5, 9, "5-20, 30-40"}, {22, 29, "5-20, 22-40"}, {21, 21, "5-40"}, {1, 1, "1-1, 5-40"}, {1, 99, "1-99"},
	} {
		if s = s.add(step.first, step.last); s.String() != step.want {
			t.Errorf("after %d-%d: %s, want %s", step.first, step.last, s, step.want)
		}
	}
	s = spans{{5, 20}, {22, 40}}
	for _, c := range []struct {
		first, last int
		want        bool
	}{{5, 20, true}, {6, 6, true}, {4, 6, false}, {20, 22, false}, {22, 41, false}, {1, 2, false}} {
		if s.cover(c.first, c.last) != c.want {
			t.Errorf("cover %d-%d: %v", c.first, c.last, !c.want)
		}
	}
}
