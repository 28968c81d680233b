package retrieval

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"
)

// shownHits is how many hits a text lists.
const shownHits = 20

// WriteText explains a result to people at a terminal: the verdict, the terms,
// and the documents with both sides' scores and ranks.
func (r Result) WriteText(w io.Writer) error {
	out := newTextWriter(w)
	verdict := "answer"
	if r.Deflected {
		verdict = "deflect"
	}
	out.line("question\t%s", printable(r.Question))
	out.line("verdict\t%s (%s)", verdict, printable(r.Why))
	if r.LexicalOnly != "" {
		out.line("note\t%s", r.LexicalOnly)
	}
	out.line("terms\t%s", termList(r.Terms))
	out.line("found\t%d documents; best cosine %.3f, threshold %.3f; %d chunks by words; embedding took %s",
		len(r.Hits), r.TopCosine, r.Threshold, r.LexicalHits, r.EmbedTime.Round(100*time.Microsecond))
	if len(r.Hits) > 0 {
		out.line("")
		out.line("#\tfused\tcosine\trank\tbm25\trank\tname\tdocument")
	}
	for i, h := range r.Hits[:min(shownHits, len(r.Hits))] {
		out.line("%d\t%.5f\t%s\t%s\t%s\t%s\t%.2f\t%s#%d-%d", i+1, h.Score,
			score("%.3f", h.Cosine, h.DenseRank), rankText(h.DenseRank), score("%.2f", h.BM25, h.LexicalRank), rankText(h.LexicalRank),
			h.NameMatch, printable(h.Identity()), h.StartLine, h.EndLine)
	}
	if more := len(r.Hits) - shownHits; more > 0 {
		out.line("\t\t\t\t\t\t\t… and %d more", more)
	}
	return out.flush()
}

// WriteText sums a report up for people at a terminal, and lists what went wrong.
func (r Report) WriteText(w io.Writer) error {
	out := newTextWriter(w)
	out.line("questions\t%d to answer, %d to deflect", r.ToAnswer, r.ToDeflect)
	out.line("embedder\t%s", printable(r.Embedder))
	if r.LexicalOnly != "" {
		out.line("note\t%s", r.LexicalOnly)
	}
	out.line("")
	out.line("\tnDCG@10\tMRR@10\trecall@100")
	for _, side := range []struct {
		name string
		q    Quality
	}{{"hybrid", r.Hybrid}, {"by words", r.Lexical}, {"by embedding", r.Dense}} {
		out.line("%s\t%.4f\t%.4f\t%.4f", side.name, side.q.NDCG10, side.q.MRR10, side.q.Recall100)
	}
	out.line("")
	out.line("deflection\tprecision %.3f\trecall %.3f", r.Gate.Precision, r.Gate.Recall)
	out.line("latency\tp50 %s\tp95 %s", milliseconds(r.Latency.P50), milliseconds(r.Latency.P95))
	out.line("threshold\t%.3f in use\t%s", r.Threshold, proposed(r.ProposedThreshold))
	out.line("dense weight\t%.3g in use\t%s", r.DenseWeight, proposed(r.ProposedDenseWeight))
	for _, o := range r.Outcomes {
		if !o.Right() {
			out.line("wrong\t%s", o.text())
		}
	}
	return out.flush()
}

// WriteText sets both reports' figures side by side, and lists the questions
// that went otherwise.
func (c Comparison) WriteText(w io.Writer) error {
	out := newTextWriter(w)
	out.line("\ta\tb\tb − a")
	figure := func(name string, a, b float64) { out.line("%s\t%.4f\t%.4f\t%+.4f", name, a, b, b-a) }
	figure("nDCG@10", c.A.Hybrid.NDCG10, c.B.Hybrid.NDCG10)
	figure("MRR@10", c.A.Hybrid.MRR10, c.B.Hybrid.MRR10)
	figure("recall@100", c.A.Hybrid.Recall100, c.B.Hybrid.Recall100)
	figure("deflection precision", c.A.Gate.Precision, c.B.Gate.Precision)
	figure("deflection recall", c.A.Gate.Recall, c.B.Gate.Recall)
	figure("latency p50, ms", inMilliseconds(c.A.Latency.P50), inMilliseconds(c.B.Latency.P50))
	figure("latency p95, ms", inMilliseconds(c.A.Latency.P95), inMilliseconds(c.B.Latency.P95))
	figure("threshold", c.A.Threshold, c.B.Threshold)
	figure("dense weight", c.A.DenseWeight, c.B.DenseWeight)
	for _, change := range c.Changes {
		out.line("")
		out.line("a\t%s", change.A.text())
		out.line("b\t%s", change.B.text())
	}
	return out.flush()
}

func (o Outcome) text() string {
	verdict := "answered"
	if o.Deflected {
		verdict = "deflected"
	}
	text := fmt.Sprintf("%s %s (%s): %s", printable(o.ID), verdict, printable(o.Why), printable(o.Question))
	if o.Answer {
		text += fmt.Sprintf(" [right document at %s]", rankText(o.Rank))
	}
	return text
}

// termList names the terms with the number of chunks that hold each.
func termList(terms []Term) string {
	var list []string
	for _, t := range terms {
		text := printable(t.Text)
		if t.For != "" {
			text += " for " + printable(t.For)
		}
		list = append(list, fmt.Sprintf("%s %d", text, t.Chunks))
	}
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

// textWriter aligns lines of tab-separated cells, and writes them all at once.
type textWriter struct {
	w    io.Writer
	text strings.Builder
	tab  *tabwriter.Writer
}

func newTextWriter(w io.Writer) *textWriter {
	t := &textWriter{w: w}
	t.tab = tabwriter.NewWriter(&t.text, 0, 0, 2, ' ', 0)
	return t
}

func (t *textWriter) line(format string, args ...any) { fmt.Fprintf(t.tab, format+"\n", args...) }

func (t *textWriter) flush() error {
	t.tab.Flush()
	_, err := io.WriteString(t.w, t.text.String())
	return err
}

func rankText(rank int) string {
	if rank == 0 {
		return "–"
	}
	return strconv.Itoa(rank)
}

func score(format string, value float64, rank int) string {
	if rank == 0 {
		return "–"
	}
	return fmt.Sprintf(format, value)
}

func proposed(value float64) string {
	if value == 0 {
		return "no proposal from these questions"
	}
	return fmt.Sprintf("%.3g proposed", value)
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.1f ms", inMilliseconds(d)) }

func inMilliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// printable is s without anything that steers a terminal: what isn't a visible
// character or a space is escaped.
func printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
	}
	return b.String()
}
