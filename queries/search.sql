-- Both sides of hybrid retrieval, apart from the vector tables (db/vectors.go).

-- What the knowledge base holds, and the vectors that serve it.
-- name: SearchState :one
SELECT k.chunk_count, k.term_count, k.active_vectors, g.model, g.dimension, g.threshold
FROM kb_state k
LEFT JOIN vector_generations g ON g.id = k.active_vectors;

-- name: ChunkFrequencies :many
SELECT term, chunk_freq FROM terms WHERE term = ANY(sqlc.arg(terms)::text[]);

-- BM25 (Robertson and Zaragoza 2009, equation 3.15; the idf comes in as a
-- weight) over the chunks that hold any of the searched terms. literals are the
-- terms to score, each as a tsquery of its own, searched ones first; matched are
-- the places in literals that the chunk has, counted from 1.
--
-- Scoring a chunk is dear, finding it cheap. So chunks are first ordered by the
-- weights of the searched terms they hold; those that stand among the first
-- to_score are scored, and of their equals the shortest, up to five times as many.
--
-- A term's frequency is its number of positions. Postgres only gives that by
-- unnesting the whole vector, 7 times slower than ts_rank with all weights 1,
-- which is H(n)/(pi^2/6), H(n) the sum of 1/i^2 for i from 1 to n. H(n) is
-- pi^2/6 - 1/(n + 1/2) but for less than rounding takes away again: that gives n.
-- OFFSET 0 keeps an expression from being computed wherever it is mentioned.
-- name: LexicalCandidates :many
WITH term AS MATERIALIZED (
    SELECT place, (sqlc.arg(literals)::text[])[place]::tsquery AS literal, (sqlc.arg(weights)::float8[])[place] AS weight
    FROM generate_subscripts(sqlc.arg(literals)::text[], 1) AS place
    LIMIT cardinality(sqlc.arg(literals)::text[]) -- tells the planner, which expects a thousand
), found AS (
    SELECT c.id, rank() OVER (ORDER BY sum(t.weight) DESC) AS standing,
           row_number() OVER (ORDER BY sum(t.weight) DESC, c.term_count, c.id) AS place
    FROM term t
    JOIN chunks c ON c.terms @@ t.literal
    WHERE t.place <= sqlc.arg(searched)::int
    GROUP BY c.id
), candidate AS (
    SELECT c.id, c.document_id, c.term_count, setweight(c.terms, 'D') AS terms -- a copy, read from the table once
    FROM chunks c
    WHERE c.id = ANY (ARRAY(SELECT id FROM found WHERE standing <= sqlc.arg(to_score)::int AND place <= 5 * sqlc.arg(to_score))) -- by the primary key; IN reads the table
    OFFSET 0
)
SELECT c.id, c.document_id, s.score::float8 AS score, s.matched::int[] AS matched
FROM candidate c
CROSS JOIN LATERAL (
    SELECT sum(t.weight * f.n * (sqlc.arg(k1)::float8 + 1)
               / (f.n + sqlc.arg(k1) * (1 - sqlc.arg(b)::float8 + sqlc.arg(b) * greatest(c.term_count / sqlc.arg(average_length)::float8, 0.5)))) AS score,
           array_agg(t.place) FILTER (WHERE f.n > 0) AS matched
    FROM term t
    CROSS JOIN LATERAL (
        SELECT round(1 / (pi() ^ 2 / 6 * (1 - ts_rank('{1,1,1,1}', c.terms, t.literal))) - 0.5) AS n
        OFFSET 0
    ) f
) s
ORDER BY s.score DESC, c.id
LIMIT sqlc.arg(how_many);

-- How many chunks match. Asking for EXISTS instead lets the planner read the
-- table in the hope of an early match, which an absent term never has.
-- name: CountChunks :one
SELECT count(*) FROM chunks WHERE terms @@ sqlc.arg(query)::text::tsquery;

-- Terms that look like a word, nearest first.
-- name: SimilarTerms :many
SELECT term, chunk_freq
FROM terms
WHERE term % sqlc.arg(word)::text
ORDER BY similarity(term, sqlc.arg(word)) DESC, chunk_freq DESC, term
LIMIT sqlc.arg(how_many);

-- Where candidates stand.
-- name: SearchHits :many
SELECT c.id, c.document_id, c.position, c.start_line, c.end_line, c.heading,
       s.name AS source, d.path, d.title, d.line_count, d.char_count
FROM chunks c
JOIN documents d ON d.id = c.document_id
JOIN sources s ON s.id = d.source_id
WHERE c.id = ANY(sqlc.arg(ids)::bigint[]);
