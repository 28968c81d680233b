//go:build bench

package e2e

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"bor/internal/testkit"
)

// tick is the stream's own pace, which figures of latency leave out (DEC1).
const tick = 50 * time.Millisecond

// onTopic is a question that the homelab answers, so that the model is asked.
const onTopic = "show me the quadlet for gufo"

// longAnswer is Markdown as models write it: sections of prose, a table, and code
// of 40 lines; about 50 lines a section.
func longAnswer(sections int) string {
	var b strings.Builder
	for n := range sections {
		fmt.Fprintf(&b, "## Part %d\n\nThe service listens on port %d; see `net.ipv4.ip_forward` and **mind the order**.\n\n| key | value | why |\n|---|---|---|\n", n, 8000+n)
		for row := range 4 {
			fmt.Fprintf(&b, "| option_%d_%d | %d | because of `unit-%d.service` |\n", n, row, n*row, row)
		}
		b.WriteString("\n```go\n")
		for line := range 40 {
			fmt.Fprintf(&b, "\tif err := step%d(ctx, %d); err != nil { return fmt.Errorf(\"step %d: %%w\", err) }\n", line, n, line)
		}
		b.WriteString("```\n\n")
	}
	return b.String()
}

func cutInto(text string, size int) []string {
	var all []string
	for part := range slices.Chunk([]byte(text), size) {
		all = append(all, string(part))
	}
	return all
}

// paced streams pieces, one each interval.
func paced(t *testing.T, parts []string, every time.Duration) testkit.Step {
	ticker := time.NewTicker(every)
	t.Cleanup(ticker.Stop)
	gate := make(chan struct{})
	go func() {
		for {
			select {
			case <-ticker.C:
				select {
				case gate <- struct{}{}:
				case <-t.Context().Done():
					return
				}
			case <-t.Context().Done():
				return
			}
		}
	}()
	var step testkit.Step
	for _, p := range parts {
		step.Parts = append(step.Parts, testkit.Gate(gate), testkit.Part{Text: p})
	}
	return step
}

// TestBenchStreamBytes: what an answer costs on the wire, beside its final HTML and
// beside sending the whole rendering at every tick: an ordinary answer, and one
// that is nearly all coloured code.
func TestBenchStreamBytes(t *testing.T) {
	p, model := house(t, nil, "BOR_TRUSTED_PROXIES=127.0.0.1/32")
	ordinary, err := os.ReadFile("../internal/markdown/testdata/ordinary.md")
	must(t, err)
	c := newClient(t, p.url, 0)
	for name, answer := range map[string]string{"ordinary": strings.Repeat(string(ordinary), 4), "mostly code": longAnswer(8)} {
		model.Queue(paced(t, cutInto(answer, 50), 8*time.Millisecond)) // 6 250 characters a second
		stream := c.ask(onTopic)
		html, messages, rerendered := 0, 0, 0
		began := time.Time{}
		for {
			m, err := stream.next()
			must(t, err)
			if m.name == "done" {
				break
			}
			messages++
			html += len(frame.ReplaceAllString(m.data, ""))
			if began.IsZero() {
				began = m.at
			}
			// What a page that renders anew would have got by now, at the same ticks.
			shown := min(len(answer), int(time.Since(began)/(8*time.Millisecond)*50))
			rerendered += len(markdownHTML(t, answer[:shown]))
		}
		stream.body.Close()
		final := c.answerHTML()
		t.Logf("%s: payload %d B, final HTML %d B; sent %d B of HTML in %d messages, and %d B of frames around it", name, len(answer), final, html, messages, stream.bytes-html)
		t.Logf("RATIO sent/final = %.2f (bar 1.5)   sent/payload = %.2f (bar 2.5)   baseline, the whole rendering at every tick: sent/final = %.1f",
			float64(html)/float64(final), float64(html)/float64(len(answer)), float64(rerendered)/float64(final))
	}
}

// frame is what a stream puts around HTML.
var frame = regexp.MustCompile(`<hx-part to="[^"]*" as="[^"]*">|</hx-part>\n?`)

var markdown = goldmark.New(goldmark.WithExtensions(extension.GFM))

func markdownHTML(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	must(t, markdown.Convert([]byte(text), &b))
	return b.String()
}

var article = regexp.MustCompile(`(?s)<article[^>]*class="msg brain.*?</article>`)

// answerHTML is the length of the answer as the page has it.
func (c *client) answerHTML() int {
	c.t.Helper()
	response := c.send(http.MethodGet, "/", nil, nil)
	body, err := io.ReadAll(response.Body)
	response.Body.Close()
	must(c.t, err)
	all := article.FindAll(body, -1)
	if len(all) == 0 {
		c.t.Fatalf("no answer on the page:\n%s", body)
	}
	return len(all[len(all)-1])
}

// TestBenchStreamCPU: the server's work against the answer's length, beside
// rendering the whole text at each tick.
func TestBenchStreamCPU(t *testing.T) {
	p, model := house(t, nil, "BOR_TRUSTED_PROXIES=127.0.0.1/32")
	c := newClient(t, p.url, 0)
	var perLine, naivePerLine []float64
	for _, sections := range []int{25, 100, 400} {
		answer := longAnswer(sections)
		lines := strings.Count(answer, "\n")
		model.Queue(testkit.Say(cutInto(answer, 200)...))
		before, began := cpuTime(t, p.cmd.Process.Pid), time.Now()
		stream := c.ask(onTopic)
		for {
			m, err := stream.next()
			must(t, err)
			if m.name == "done" {
				break
			}
		}
		stream.body.Close()
		took, used := time.Since(began), cpuTime(t, p.cmd.Process.Pid)-before
		// The baseline renders what has come at every tick of the same time.
		ticks := max(1, int(took/tick))
		naive := time.Now()
		for n := range ticks {
			markdownHTML(t, answer[:len(answer)*(n+1)/ticks])
		}
		baseline := time.Since(naive)
		perLine = append(perLine, float64(used.Microseconds())/float64(lines))
		naivePerLine = append(naivePerLine, float64(baseline.Microseconds())/float64(lines))
		t.Logf("%6d lines, %8d B: %v wall, %v CPU, %.0f µs a line; goldmark alone on the whole text at each of %d ticks: %v, %.0f µs a line",
			lines, len(answer), took.Round(time.Millisecond), used, perLine[len(perLine)-1], ticks, baseline.Round(time.Millisecond), naivePerLine[len(naivePerLine)-1])
	}
	t.Logf("RATIO CPU a line, longest/shortest answer = %.2f (1 is linear)   baseline: %.2f", perLine[2]/perLine[0], naivePerLine[2]/naivePerLine[0])
}

const (
	manyStreams = 500
	manyPieces  = 60 // of each that count: all 500 run while they come
	pieceEvery  = 200 * time.Millisecond
	aSession    = 10 // streams of one session, which may have 16
)

// TestBenchManyStreams: what a delta waits in the server while 500 streams run, and
// what memory they take, beside reading the model's own streams.
func TestBenchManyStreams(t *testing.T) {
	p, model := house(t, nil, "BOR_TRUSTED_PROXIES=127.0.0.1/32", "BOR_LOG_LEVEL=warn")
	crowd := newCrowd()
	model.Script(crowd.step)
	idle, _ := memory(t, p.cmd.Process.Pid)

	var clients []*client
	for n := range manyStreams / aSession {
		clients = append(clients, newClient(t, p.url, n))
	}
	var opened, reading sync.WaitGroup
	for n := range manyStreams {
		opened.Add(1)
		reading.Go(func() {
			stream := clients[n/aSession].ask(onTopic + " " + marker(n))
			defer stream.body.Close()
			opened.Done()
			crowd.read(t, n, stream)
		})
		if n%20 == 19 {
			opened.Wait() // a crowd, but not a stampede: that is another test
		}
	}
	opened.Wait()
	full, _ := memory(t, p.cmd.Process.Pid)
	before, began := cpuTime(t, p.cmd.Process.Pid), time.Now()
	close(crowd.go_)
	<-time.After(pieceEvery * manyPieces / 2)
	half, _ := memory(t, p.cmd.Process.Pid)
	reading.Wait()
	busy := float64(cpuTime(t, p.cmd.Process.Pid)-before) / float64(time.Since(began))
	_, highest := memory(t, p.cmd.Process.Pid)
	through := crowd.latencies()

	direct := newCrowd()
	model.Script(direct.step)
	for n := range manyStreams {
		reading.Go(func() { direct.readModel(t, n, model.URL) })
	}
	close(direct.go_)
	reading.Wait()
	bare := direct.latencies()

	t.Logf("%d streams, a piece each %v: %d of %d pieces seen; the server used %.2f cores", manyStreams, pieceEvery, len(through), manyStreams*manyPieces, busy)
	t.Logf("from the model's write to the reader, without the tick: p50 %v, p99 %v, highest %v", at(through, 50), at(through, 99), at(through, 100))
	t.Logf("baseline, the model's streams read directly:            p50 %v, p99 %v, highest %v", at(bare, 50), at(bare, 99), at(bare, 100))
	t.Logf("RATIO added p99 = %v (bar 10 ms)", at(through, 99)-at(bare, 99))
	each := func(bytes int) int { return (bytes - idle) / manyStreams >> 10 }
	t.Logf("memory: idle %d MB; of each turn %d KB when all were open, %d KB in the middle, %d KB at the highest (bar 200 KB)", idle>>20, each(full), each(half), each(highest))
}

func at(sorted []time.Duration, percent int) time.Duration {
	return sorted[min(len(sorted)-1, len(sorted)*percent/100)].Round(10 * time.Microsecond)
}

func marker(n int) string { return fmt.Sprintf("[crowd %d]", n) }

var (
	crowdMarker = regexp.MustCompile(`\[crowd (\d+)\]`)
	crowdPiece  = regexp.MustCompile(`piece(\d+)\.`)
)

// crowd is many streams whose pieces are written at known moments.
type crowd struct {
	go_   chan struct{}
	sent  [manyStreams][manyPieces]time.Time
	mu    sync.Mutex
	waits []time.Duration
}

func newCrowd() *crowd { return &crowd{go_: make(chan struct{})} }

// piecesOf is how many a stream has: all go on until each has brought those that
// count, and then end one after the other, as answers do.
func piecesOf(n int) int { return manyPieces + 1 + n/25 }

// step answers the question that bears a marker with that stream's pieces.
func (c *crowd) step(r testkit.ModelRequest) testkit.Step {
	found := crowdMarker.FindStringSubmatch(r.Messages[len(r.Messages)-1].Content)
	n, _ := strconv.Atoi(found[1])
	gate := make(chan struct{})
	go func() {
		<-c.go_
		<-time.After(pieceEvery * time.Duration(n) / manyStreams) // models don't speak in step
		ticker := time.NewTicker(pieceEvery)
		defer ticker.Stop()
		for i := range piecesOf(n) {
			<-ticker.C
			if i < manyPieces {
				c.sent[n][i] = time.Now()
			}
			gate <- struct{}{}
		}
	}()
	var step testkit.Step
	for i := range piecesOf(n) {
		step.Parts = append(step.Parts, testkit.Gate(gate), testkit.Part{Text: fmt.Sprintf("piece%d. ", i)})
	}
	return step
}

// read notes when each piece came, counted from when the stream's next tick was due.
func (c *crowd) read(t *testing.T, n int, stream *events) {
	last, seen := time.Time{}, 0
	for {
		m, err := stream.next()
		if err != nil {
			t.Errorf("stream %d: %v", n, err)
			return
		}
		if m.name == "done" {
			break
		}
		seen = c.note(n, seen, m.data, m.at, last.Add(tick))
		last = m.at
	}
	if seen != piecesOf(n) {
		t.Errorf("stream %d: %d of %d pieces", n, seen, piecesOf(n))
	}
}

func (c *crowd) note(n, seen int, text string, at, due time.Time) int {
	for _, found := range crowdPiece.FindAllStringSubmatch(text, -1) {
		i, _ := strconv.Atoi(found[1])
		if i != seen {
			continue // shown before: its block was rendered
		}
		if seen++; i >= manyPieces {
			continue
		}
		from := c.sent[n][i]
		if due.After(from) {
			from = due
		}
		c.mu.Lock()
		c.waits = append(c.waits, max(0, at.Sub(from)))
		c.mu.Unlock()
	}
	return seen
}

// readModel reads the model's stream itself.
func (c *crowd) readModel(t *testing.T, n int, base string) {
	body := fmt.Sprintf(`{"model":"turbo","stream":true,"messages":[{"role":"user","content":%q}]}`, marker(n))
	response, err := http.Post(base+"/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		t.Errorf("stream %d: %v", n, err)
		return
	}
	stream := newEvents(response.Body)
	defer stream.body.Close()
	for seen := 0; seen < piecesOf(n); {
		m, err := stream.next()
		if err != nil {
			t.Errorf("stream %d: %v", n, err)
			return
		}
		seen = c.note(n, seen, m.data, m.at, time.Time{})
	}
}

func (c *crowd) latencies() []time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	slices.Sort(c.waits)
	return c.waits
}
