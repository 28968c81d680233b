package app

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"bor/internal/ingest"
)

// drawEvery is how often a progress bar is drawn anew, at most.
const drawEvery = 100 * time.Millisecond

// progressBar is one line of a terminal that is drawn again and again. Where
// there is no terminal it is silent: the log has a line for each file.
type progressBar struct {
	w     io.Writer
	width int
	drawn time.Time
}

func newProgressBar(w io.Writer) *progressBar {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return &progressBar{}
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width < 40 {
		width = 80
	}
	return &progressBar{w: w, width: width}
}

// show draws the bar.
func (b *progressBar) show(p ingest.Progress) {
	b.draw(func() string { return barLine(p, b.width-1) })
}

func (b *progressBar) draw(line func() string) {
	if b.w == nil || time.Since(b.drawn) < drawEvery {
		return
	}
	b.drawn = time.Now()
	fmt.Fprint(b.w, "\r\x1b[K", line())
}

// showVectors draws the bar for vectors made of those to make.
func (b *progressBar) showVectors(done, total int64) {
	b.draw(func() string { return fmt.Sprintf("%s %d/%d vectors", cells(int(done), int(total)), done, total) })
}

// clear removes the bar.
func (b *progressBar) clear() {
	if b.w != nil {
		fmt.Fprint(b.w, "\r\x1b[K")
	}
}

const barCells = 20

// barLine is the progress in at most width characters.
func barLine(p ingest.Progress, width int) string {
	line := p.Source + ": " + p.Phase
	if p.Phase == ingest.PhaseFiles && p.Files > 0 {
		line = fmt.Sprintf("%s %d/%d  %.0f/s", cells(p.Seen, p.Files), p.Seen, p.Files, p.Rate)
		if p.ETA > 0 {
			line += "  " + p.ETA.Round(time.Second).String() + " left"
		}
		line += "  " + p.Source + "/" + p.Current
	}
	runes := []rune(printable(line))
	if len(runes) > width {
		return string(runes[:width-1]) + "…"
	}
	return string(runes)
}

// cells draws done of total.
func cells(done, total int) string {
	full := barCells
	if done < total {
		full = barCells * done / total
	}
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", barCells-full) + "]"
}
