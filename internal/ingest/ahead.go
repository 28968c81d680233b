package ingest

import (
	"context"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"bor/internal/source"
)

// finding is what a walk came upon: a file, or one that it leaves out.
type finding struct {
	file source.File
	room int64 // that the file takes of what may wait
	skip *source.Skip
}

// readAhead walks a tree while what it found is dealt with, so that reading and
// looking up don't wait for each other. visit and skip are called from one
// goroutine, in the walk's order; at most deltaBytes of files wait for them. It
// ends as the walk itself would.
func readAhead(ctx context.Context, tree source.Tree, visit func(source.File) error, skip func(source.Skip)) error {
	g, ctx := errgroup.WithContext(ctx)
	found := make(chan finding, deltaFiles)
	room := semaphore.NewWeighted(deltaBytes)
	send := func(f finding) error {
		select {
		case found <- f:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	g.Go(func() error {
		defer close(found)
		return tree.Walk(ctx, func(f source.File) error {
			n := min(int64(len(f.Text)+len(f.Image)), deltaBytes)
			if err := room.Acquire(ctx, n); err != nil {
				return err
			}
			return send(finding{file: f, room: n})
		}, func(s source.Skip) { _ = send(finding{skip: &s}) }) // a walk that was given up ends by itself
	})
	g.Go(func() error {
		for f := range found {
			if f.skip != nil {
				skip(*f.skip)
				continue
			}
			err := visit(f.file)
			room.Release(f.room)
			if err != nil {
				return err
			}
		}
		return nil
	})
	return g.Wait()
}
