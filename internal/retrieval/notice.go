package retrieval

import (
	"context"
	"fmt"
)

// Notice says to people what keeps searches from their best, as vectors of
// another embedder do; empty when nothing does (DEC21).
func (s *Searcher) Notice(ctx context.Context) (string, error) {
	state, err := s.db.SearchState(ctx)
	if err != nil {
		return "", fmt.Errorf("reading the state of the knowledge base: %w", err)
	}
	if state.ChunkCount == 0 {
		return "", nil
	}
	return s.lexicalOnly(state), nil
}
