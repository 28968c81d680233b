package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	openai "github.com/sashabaranov/go-openai"
)

// maxBatch is the number of texts in one embedding request.
const maxBatch = 64

// Model names the embedding model.
func (c *Client) Model() string { return c.embed.model }

// Dimension is what every vector has, or Embed fails.
func (c *Client) Dimension() int { return c.cfg.Dimension }

// Embed makes a vector of each text, in order, at most 64 texts a request.
func (c *Client) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, 0, len(texts))
	for len(texts) > 0 {
		batch := texts[:min(maxBatch, len(texts))]
		texts = texts[len(batch):]
		got, err := c.embedBatch(ctx, batch)
		if err != nil {
			return nil, err
		}
		for _, v := range got {
			if len(v) != c.cfg.Dimension {
				return nil, c.wrongDimension(len(v))
			}
		}
		vectors = append(vectors, got...)
	}
	return vectors, nil
}

func (c *Client) wrongDimension(got int) error {
	return &Error{Public: fmt.Sprintf("The embedding model %q makes vectors of %d numbers, but BOR_EMBEDDING_DIM is %d. Set BOR_EMBEDDING_DIM=%d and embed everything anew, or choose another model with BOR_EMBED_MODEL.",
		c.embed.model, got, c.cfg.Dimension, got)}
}

// embedBatch makes one request, with retries.
func (c *Client) embedBatch(ctx context.Context, batch []string) (vectors [][]float32, err error) {
	err = c.retrying(ctx, announcer(ctx), func(deadline time.Time) error {
		dog, watched := newWatchdog(ctx)
		defer dog.end()
		dog.until(deadline, errNoOutput)
		resp, err := c.embed.api.CreateEmbeddings(watched, openai.EmbeddingRequest{Input: batch, Model: openai.EmbeddingModel(c.embed.model)})
		if err != nil {
			return c.embed.asFault(watched, undecodable(err))
		}
		vectors, err = c.embed.inOrder(resp.Data, len(batch))
		return err
	})
	return vectors, err
}

// undecodable marks a reply that was to be one JSON document and isn't.
func undecodable(err error) error {
	var wrong *json.UnmarshalTypeError
	if isSyntax(err) || errors.As(err, &wrong) {
		return &errNotEvents{cause: err}
	}
	return err
}

// inOrder sorts vectors by the index that the server gave each.
func (e *endpoint) inOrder(data []openai.Embedding, want int) ([][]float32, error) {
	if len(data) != want {
		return nil, newFault(false, 0, nil, "The embedding server at %s returned %d vectors for %d texts. Check %s and %s.", e.host, len(data), want, e.addressSetting, e.modelSetting)
	}
	vectors := make([][]float32, want)
	for i, d := range data {
		if d.Index < 0 || d.Index >= want || vectors[d.Index] != nil {
			// Numbers that make no sense: some servers leave them out. Then the order is the texts'.
			for i, d := range data {
				vectors[i] = d.Embedding
			}
			return vectors, nil
		}
		vectors[d.Index] = data[i].Embedding
	}
	return vectors, nil
}
