package librarian

import (
	"context"
	"errors"
	"math"
	"reflect"
	"testing"
)

func vectorsOf(t *testing.T, dim int, texts ...string) [][]float32 {
	t.Helper()
	e := NewEmbedder(dim)
	vectors, err := e.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	return vectors
}

func cosine(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func TestVectorsHaveTheDimensionAndLengthOne(t *testing.T) {
	for _, dim := range []int{1, 3, 768, 4000} {
		for i, v := range vectorsOf(t, dim, "", "the", "Restart the DNS on pug", "net.ipv4.ip_forward=1\n\n\x00\xff", "😀 ¿") {
			if len(v) != dim {
				t.Fatalf("%d numbers, want %d", len(v), dim)
			}
			if length := math.Sqrt(cosine(v, v)); math.Abs(length-1) > 1e-5 {
				t.Errorf("text %d at %d: length %f", i, dim, length)
			}
		}
	}
}

func TestVectorsAreTheSameEveryTime(t *testing.T) {
	text := "Gufo runs as a quadlet behind Caddy. net.ipv4.ip_forward is 1, and --userns=keep-id maps the ids."
	first := vectorsOf(t, 768, text)[0]
	for range 20 {
		if !reflect.DeepEqual(vectorsOf(t, 768, "another", text)[1], first) {
			t.Fatal("two vectors of one text")
		}
	}
}

func TestRelatedTextsAreNearerThanUnrelatedOnes(t *testing.T) {
	for _, c := range []struct{ text, near, far string }{
		{"How do I restart the DNS resolver?", "The resolver: restarting unbound on pug", "Fold the dough every thirty minutes"},
		{"which port does the DNS sit on", "DNS answers on port 53 of pug", "The photo album keeps its pictures on a volume"},
		{"what sets net.ipv4.ip_forward", "[sysctl]\nnet.ipv4.ip_forward = 1", "Router upstairs, printer downstairs"},
		{"IpForward", "sysctl -w net.ipv4.ip_forward=1", "The cellar door sticks in winter"},
		{"restoring a dump", "Restore the database from last night's dump", "The UPS lasts eleven minutes"},
		{"Zeitplan der Sicherungen", "Die Sicherung läuft nachts nach Zeitplan", "Pflanzen im Garten gießen"},
	} {
		v := vectorsOf(t, 768, c.text, c.near, c.far)
		near, far := cosine(v[0], v[1]), cosine(v[0], v[2])
		if near < DefaultThreshold || far >= DefaultThreshold || near < far+0.1 {
			t.Errorf("%q: %.2f to %q, %.2f to %q", c.text, near, c.near, far, c.far)
		}
	}
}

func TestMisspellingsStayNear(t *testing.T) {
	v := vectorsOf(t, 768, "posgresql", "postgresql", "printer")
	if near, far := cosine(v[0], v[1]), cosine(v[0], v[2]); near < 0.1 || far > 0.05 {
		t.Errorf("%.2f to the right spelling, %.2f to another word", near, far)
	}
}

func TestCommonWordsWeighLittle(t *testing.T) {
	v := vectorsOf(t, 768, "what do you have for me in the way of gufo", "gufo", "what do you have for me in the way of bread")
	if topic, words := cosine(v[0], v[1]), cosine(v[0], v[2]); topic < 2*words {
		t.Errorf("by topic %.2f, by common words %.2f", topic, words)
	}
}

func TestEmbedStops(t *testing.T) {
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	if _, err := NewEmbedder(8).Embed(ctx, []string{"a"}); !errors.Is(err, stop) {
		t.Errorf("%v", err)
	}
	e := NewEmbedder(8)
	if e.Dimension() != 8 || e.Model() != "librarian-v1" {
		t.Errorf("%s, %d", e.Model(), e.Dimension())
	}
}

func BenchmarkEmbed(b *testing.B) {
	e := NewEmbedder(768)
	text := ""
	for len(text) < 1200 {
		text += "Gufo runs as a quadlet behind Caddy; net.ipv4.ip_forward is 1, backups at 03:15. "
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		e.vector(text)
	}
}
