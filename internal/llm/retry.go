package llm

import (
	"context"
	"errors"
	"time"
)

// retrying runs a request until it succeeds, fails for good, or the tries or
// the time for a first output are used up. Each further try is announced before
// the wait for it. once gets the time by which it must show output; zero is no
// limit.
func (c *Client) retrying(ctx context.Context, announce func(Retry) error, once func(deadline time.Time) error) error {
	var deadline time.Time
	if c.cfg.FirstByte > 0 {
		deadline = time.Now().Add(c.cfg.FirstByte)
	}
	for try := 1; ; try++ {
		err := once(deadline)
		var f *fault
		if !errors.As(err, &f) {
			return err
		}
		wait := c.cfg.RetryDelay
		if f.after >= 0 {
			wait = f.after
		}
		late := !deadline.IsZero() && time.Until(deadline) <= wait
		if !f.retry || try > c.cfg.Retries || late {
			return f.err
		}
		if err := announce(Retry{Attempt: try + 1, Max: c.cfg.Retries + 1, Wait: wait, Cause: f.err.Public}); err != nil {
			return err
		}
		if err := pause(ctx, wait); err != nil {
			return err
		}
	}
}

// pause waits, or returns why it need not.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

type retryKey struct{}

// OnRetry makes the retries of calls that have no stream of their own, Embed
// and Complete, known to notify, which an error from ends the call.
func OnRetry(ctx context.Context, notify func(Retry) error) context.Context {
	return context.WithValue(ctx, retryKey{}, notify)
}

// announcer is what OnRetry left in the context.
func announcer(ctx context.Context) func(Retry) error {
	if notify, ok := ctx.Value(retryKey{}).(func(Retry) error); ok {
		return notify
	}
	return func(Retry) error { return nil }
}

// watchdog cancels a request that shows nothing for too long.
type watchdog struct {
	timer  *time.Timer
	cancel context.CancelCauseFunc
}

// newWatchdog derives the context that the request must use.
func newWatchdog(ctx context.Context) (*watchdog, context.Context) {
	ctx, cancel := context.WithCancelCause(ctx)
	return &watchdog{cancel: cancel}, ctx
}

// wait allows d from now on, after which cause cancels; 0 is no limit.
func (w *watchdog) wait(d time.Duration, cause error) {
	w.rest()
	if d > 0 {
		w.timer = time.AfterFunc(d, func() { w.cancel(cause) })
	}
}

// until allows the time to a deadline; a zero deadline is no limit.
func (w *watchdog) until(deadline time.Time, cause error) {
	if deadline.IsZero() {
		w.rest()
		return
	}
	w.wait(max(time.Until(deadline), 1), cause)
}

// rest stops the clock, while the request waits for us and not we for it.
func (w *watchdog) rest() {
	if w.timer != nil {
		w.timer.Stop()
	}
}

// end releases the request.
func (w *watchdog) end() {
	w.rest()
	w.cancel(context.Canceled)
}
