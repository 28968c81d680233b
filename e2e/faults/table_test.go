//go:build faults

package faults

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"
)

var (
	binary string // the program under test
	root   string // the module's folder
	seed   = uint64(number("BOR_FAULTS_SEED", int(time.Now().UnixNano()&0xffffff)))
	turns  = number("BOR_FAULTS_TURNS", 300) // of each storm, at least
)

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "bor-faults-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		if root, err = filepath.Abs("../.."); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		binary = filepath.Join(dir, "bor")
		if out, err := exec.Command("go", "build", "-o", binary, "../../cmd/bor").CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "building bor: %v\n%s", err, out)
			return 1
		}
		fmt.Printf("seed %d, %d turns a storm\n", seed, turns)
		code := m.Run()
		if postgres.server != nil {
			postgres.stop()
		}
		fmt.Print(figures.String())
		return code
	}())
}

// number is a setting of the suite.
func number(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil && n > 0 {
		return n
	}
	return otherwise
}

// row is what became of one scenario's turns.
type row struct {
	name         string
	tried        int           // questions sent
	acknowledged int           // questions that were taken
	done         int           // answers that are whole
	honest       int           // answers that say that they aren't: failed, interrupted, stopped, cut off
	lost         int           // taken questions that aren't stored
	doubled      int           // stored more than once, or with text that came twice or never
	stuck        int           // still running a minute later, or never seen to end
	falsely      int           // called done and not whole
	wrong        int           // pages that differ from the record, or numbers that don't rise
	strikes      int           // processes killed or cut off
	recovery     time.Duration // slowest, from the strike until pages were served again
}

// table is what a run ends with.
type table struct {
	mu   sync.Mutex
	rows []*row
}

var figures table

func (f *table) add(r *row) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rows = append(f.rows, r)
}

func (f *table) String() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "scenario\ttried\ttaken\twhole\thonestly not\tlost\tdoubled\tstuck\tfalse success\twrong page\tstrikes\tslowest recovery\t")
	for _, r := range f.rows {
		recovery := "-"
		if r.recovery > 0 {
			recovery = fmt.Sprintf("%.1f s", r.recovery.Seconds())
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t\n", r.name, r.tried, r.acknowledged, r.done, r.honest,
			r.lost, r.doubled, r.stuck, r.falsely, r.wrong, r.strikes, recovery)
	}
	w.Flush()
	return b.String()
}

// judge fails the test for what mustn't be.
func (r *row) judge(t *testing.T) {
	t.Helper()
	figures.add(r)
	if r.lost+r.doubled+r.stuck+r.falsely+r.wrong > 0 || r.acknowledged == 0 {
		t.Errorf("%+v", *r)
	}
}
