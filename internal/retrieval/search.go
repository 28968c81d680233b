package retrieval

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"bor/db"
	"bor/internal/llm"

	"github.com/jackc/pgx/v5/pgconn"
	"golang.org/x/sync/errgroup"
)

// Options are what a search can be told. A zero stands for the default named.
type Options struct {
	TopDocs       int     // documents that go whole into a prompt; 2
	Threshold     float64 // cosine from which a question is on topic, 0 to 1; what was calibrated for the vectors, else the embedder's own
	DenseWeight   float64 // what the dense side weighs in fusion against the lexical one; the embedder's own
	DenseChunks   int     // candidates of the dense side; 100
	LexicalChunks int     // candidates of the lexical side; 30
}

// Searcher finds documents for questions. It is made for a snapshot of the
// settings, costs nothing to make, and is safe for concurrent use.
type Searcher struct {
	db       *db.DB
	embedder llm.Embedder
	options  Options
}

// New makes a searcher over d. embedder is the configured one; the dense side
// only takes part while the vectors were made with it (DEC21).
func New(d *db.DB, embedder llm.Embedder, o Options) *Searcher {
	o.TopDocs = orDefault(o.TopDocs, 2)
	o.DenseChunks = orDefault(o.DenseChunks, 100)
	o.LexicalChunks = orDefault(o.LexicalChunks, 30)
	return &Searcher{db: d, embedder: embedder, options: o}
}

func orDefault(n, standard int) int {
	if n <= 0 {
		return standard
	}
	return n
}

// Search finds the documents for a question, which may hold anything, and judges
// whether the knowledge base has something on it. Hits of a deflected question
// are what came nearest. Errors are the database's, or the embedding endpoint's
// as *llm.Error.
func (s *Searcher) Search(ctx context.Context, question string) (Result, error) {
	r, err := s.search(ctx, question)
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) && pgErr.Code == undefinedTable {
		return s.search(ctx, question) // the vectors were replaced by newer ones meanwhile
	}
	return r, err
}

// undefinedTable is PostgreSQL's code for a table that isn't there.
const undefinedTable = "42P01"

func (s *Searcher) search(ctx context.Context, question string) (Result, error) {
	question = strings.ReplaceAll(strings.ToValidUTF8(question, "\ufffd"), "\x00", "\ufffd")
	r := Result{Question: question, topDocs: s.options.TopDocs}
	state, err := s.db.SearchState(ctx)
	switch {
	case err != nil:
		return Result{}, fmt.Errorf("reading the state of the knowledge base: %w", err)
	case strings.TrimSpace(question) == "":
		r.Deflected, r.Why = true, "no question"
		return r, nil
	case state.ChunkCount == 0:
		r.Deflected, r.Why = true, "knowledge base empty"
		return r, nil
	}
	r.LexicalOnly = s.lexicalOnly(state)
	defaults := s.defaults(state)
	r.Threshold = defaults.threshold

	var near []db.Near
	var matches []match
	group, groupCtx := errgroup.WithContext(ctx)
	if r.LexicalOnly == "" {
		group.Go(func() (err error) {
			near, r.EmbedTime, err = s.denseSide(groupCtx, question, *state.ActiveVectors)
			return err
		})
	}
	group.Go(func() (err error) {
		matches, err = s.lexicalSideOf(groupCtx, &r, state)
		return err
	})
	if err := group.Wait(); err != nil {
		return Result{}, err
	}
	if len(near) > 0 {
		r.TopCosine = near[0].Cosine
	}
	r.evidence.dense, r.evidence.cosine = len(near) > 0, r.TopCosine
	r.LexicalHits = len(matches)
	if err := s.rank(ctx, &r, near, matches, defaults.weight); err != nil {
		return Result{}, err
	}
	r.Coverage, r.Missing = r.evidence.coverage, r.evidence.missing
	r.Deflected, r.Why = r.evidence.judge(r.Threshold)
	return r, nil
}

// lexicalSideOf understands the question by its words, and searches by them.
func (s *Searcher) lexicalSideOf(ctx context.Context, r *Result, state db.SearchStateRow) ([]match, error) {
	language, words := languageOf(r.Question)
	things := namedThings(r.Question, language)
	terms, err := s.questionTerms(ctx, r.Question, state.ChunkCount)
	if err != nil {
		return nil, err
	}
	r.Terms = terms
	if r.evidence.missing, err = s.missingThings(ctx, things, terms); err != nil {
		return nil, err
	}
	r.evidence.named = len(things) > len(r.evidence.missing)
	if language == english || speaks(terms, words) {
		r.evidence.unknown = unknownShare(terms)
	}
	return s.lexicalSide(ctx, terms, state)
}

// denseSide embeds the question and finds the nearest chunks. Embedding takes
// took; a question without a direction has none.
func (s *Searcher) denseSide(ctx context.Context, question string, generation int64) (near []db.Near, took time.Duration, err error) {
	start := time.Now()
	vectors, err := s.embedder.Embed(ctx, []string{question})
	took = time.Since(start)
	if err != nil {
		return nil, took, err
	}
	if len(vectors) != 1 || len(vectors[0]) != s.embedder.Dimension() {
		return nil, took, errors.New("the embedding model gave something other than one vector of the configured dimension for the question")
	}
	if isZero(vectors[0]) {
		return nil, took, nil
	}
	near, err = s.db.Nearest(ctx, generation, vectors[0], s.options.DenseChunks)
	return near, took, err
}

func isZero(vector []float32) bool {
	for _, x := range vector {
		if x != 0 {
			return false
		}
	}
	return true
}
