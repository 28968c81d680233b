package git

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

// objects reads what a repository holds, through one git process.
type objects struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	said *messages
}

// objects starts the process; it ends with ctx, or by close.
func (t *Tree) objects(ctx context.Context) (*objects, error) {
	o := &objects{said: &messages{alive: func() {}}}
	o.cmd = t.git.command(ctx, "--git-dir="+t.cache.repo, "cat-file", "--batch-command", "--buffer", "-z")
	o.cmd.Stderr = o.said
	var err error
	if o.in, err = o.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := o.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	o.out = bufio.NewReaderSize(out, 64<<10)
	return o, o.cmd.Start()
}

func (o *objects) close() {
	o.in.Close()
	_ = o.cmd.Wait() // what matters was said at the read that failed
}

// ask sends requests, whose answers are then read one by one, in order: "contents
// name" by content, "info name" by kind. They are few enough to fit a pipe, so
// that sending never waits for reading.
func (o *objects) ask(requests ...string) error {
	if _, err := io.WriteString(o.in, strings.Join(requests, "\x00")+"\x00flush\x00"); err != nil {
		return o.failed(err)
	}
	return nil
}

// content is a file's, which ls-tree lists with that size.
func (o *objects) content(size int64) ([]byte, error) {
	kind, n, err := o.header()
	if err != nil {
		return nil, err
	}
	if kind != "blob" || n != size {
		return nil, fmt.Errorf("a file of %d bytes was listed, and its object is a %s of %d", size, kind, n)
	}
	content := make([]byte, size+1) // and a line end
	if _, err := io.ReadFull(o.out, content); err != nil {
		return nil, o.failed(err)
	}
	return content[:size], nil
}

// kind is what a name stands for: blob, tree, or empty when there is none.
func (o *objects) kind() (string, error) {
	kind, _, err := o.header()
	return kind, err
}

// header is the line before an object's content. A missing object has no kind.
func (o *objects) header() (kind string, size int64, err error) {
	line, err := o.out.ReadString('\n')
	if err != nil {
		return "", 0, o.failed(err)
	}
	fields := strings.Fields(line)
	if len(fields) != 3 || !objectForm.MatchString(fields[0]) {
		return "", 0, nil // "name missing", "name ambiguous"
	}
	size, err = strconv.ParseInt(fields[2], 10, 64)
	return fields[1], size, err
}

// failed says why the process answers no more.
func (o *objects) failed(err error) error {
	return &failure{said: o.said.text(), cause: err}
}
