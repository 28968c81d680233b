package llm

import (
	"context"
	"slices"
	"time"
)

// Probed is what the endpoints say about themselves.
type Probed struct {
	Models    []string // that the endpoint lists, sorted
	ModelsErr error    // why there is no list; some servers have none

	Dimension int   // of an embedding made just now
	EmbedErr  error // why there was none
}

// Probe asks the chat endpoint (without one, the embedding endpoint) for its
// models, and the embedding endpoint for one vector, whatever its dimension.
// Neither is tried twice.
func (c *Client) Probe(ctx context.Context) Probed {
	var p Probed
	once := *c
	once.cfg.Retries = 0
	p.Models, p.ModelsErr = once.models(ctx)
	vectors, err := once.embedBatch(ctx, []string{"probe"})
	if p.EmbedErr = err; err == nil {
		p.Dimension = len(vectors[0])
	}
	return p
}

func (c *Client) models(ctx context.Context) (names []string, err error) {
	e := c.chat
	if c.cfg.BaseURL == "" {
		e = c.embed
	}
	err = c.retrying(ctx, announcer(ctx), func(deadline time.Time) error {
		dog, watched := newWatchdog(ctx)
		defer dog.end()
		dog.until(deadline, errNoOutput)
		list, err := e.api.ListModels(watched)
		if err != nil {
			return e.asFault(watched, undecodable(err))
		}
		for _, m := range list.Models {
			names = append(names, m.ID)
		}
		return nil
	})
	slices.Sort(names)
	return names, err
}
