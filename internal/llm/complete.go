package llm

import (
	"context"
	"strings"
)

// Complete asks the lite model and returns its answer's text, trimmed. It goes
// the way of a stream, so that servers' deviations are handled once.
func (c *Client) Complete(ctx context.Context, req Request) (string, error) {
	announce := announcer(ctx)
	reply, err := c.reply(ctx, c.lite, req, func(d Delta) error {
		if d.Retry != nil {
			return announce(*d.Retry)
		}
		return nil
	})
	return strings.TrimSpace(reply.Text), err
}
