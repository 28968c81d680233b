-- The knowledge base: sources, documents, chunks, the two search sides and grep.

-- +goose Up
CREATE EXTENSION IF NOT EXISTS vector;
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- A path may be longer than a b-tree entry, so paths are unique by hash (DEC26).
-- convert_to is only called stable because encodings can be changed; the
-- database's is UTF-8 for good.
CREATE FUNCTION path_key(path text) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$ SELECT sha256(convert_to(path, 'UTF8')) $$;

CREATE TABLE sources (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind         text NOT NULL CHECK (kind IN ('git', 'local', 'archive', 'mail')),
    name         text NOT NULL UNIQUE CHECK (char_length(name) BETWEEN 1 AND 120 AND name !~ '/'),
    location     text NOT NULL,
    host         text NOT NULL DEFAULT '',   -- a local source names the host that can sync it (DEC17)
    ignore_paths text[] NOT NULL DEFAULT '{}',
    summary      text NOT NULL DEFAULT '',
    summary_of   bytea,                      -- SHA-256 of what the summary was made from
    created_at   timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX sources_local ON sources (host, location) WHERE kind = 'local';

CREATE TABLE documents (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source_id     bigint NOT NULL REFERENCES sources ON DELETE CASCADE,
    path          text NOT NULL,
    path_sha256   bytea NOT NULL GENERATED ALWAYS AS (path_key(path)) STORED,
    kind          text NOT NULL DEFAULT 'text' CHECK (kind IN ('text', 'image')),
    title         text NOT NULL,
    content       text NOT NULL,             -- the file's exact text (ING4)
    file_sha256   bytea NOT NULL,            -- of the file's bytes: the delta's key (ING3)
    file_bytes    bigint NOT NULL,
    encoding      text NOT NULL DEFAULT 'utf-8' CHECK (encoding IN ('utf-8', 'utf-8-bom', 'utf-16le', 'utf-16be')),
    line_count    integer NOT NULL,
    char_count    integer NOT NULL,
    revision      text NOT NULL DEFAULT '',  -- the indexed commit of a git source
    document_date timestamptz,               -- modification time, or the indexed commit's date
    summary       text NOT NULL DEFAULT '',
    recipe        text NOT NULL DEFAULT '',  -- how it was chunked and tokenised: another recipe indexes it anew
    indexed_at    timestamptz NOT NULL DEFAULT now(),
    UNIQUE (source_id, path_sha256)
);
CREATE INDEX documents_file ON documents (source_id, file_sha256); -- renames and copies
CREATE INDEX documents_path_trgm ON documents USING gin (lower(path) gin_trgm_ops);

-- A chunk is a run of lines. Position -1 holds the document's summary.
CREATE TABLE chunks (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    document_id bigint NOT NULL REFERENCES documents ON DELETE CASCADE,
    position    integer NOT NULL,
    start_line  integer NOT NULL,
    end_line    integer NOT NULL,
    heading     text NOT NULL DEFAULT '',
    content     text NOT NULL,
    terms       tsvector NOT NULL,           -- made in Go, one entry a term with its positions (DEC23)
    term_count  integer NOT NULL,            -- the chunk's length for BM25
    UNIQUE (document_id, position)
);
CREATE INDEX chunks_terms ON chunks USING gin (terms);

-- In how many chunks a term occurs; kept in the transaction that writes the chunks.
-- Pages keep room, so that a changed count stays on its page and in no index.
CREATE TABLE terms (
    term       text PRIMARY KEY,
    chunk_freq bigint NOT NULL CHECK (chunk_freq > 0)
) WITH (fillfactor = 70);
CREATE INDEX terms_trgm ON terms USING gin (term gin_trgm_ops);

-- What a folder holds, in a sentence, for ls. The source's own is in sources.
CREATE TABLE folder_summaries (
    source_id   bigint NOT NULL REFERENCES sources ON DELETE CASCADE,
    path        text NOT NULL,               -- ends in a slash
    path_sha256 bytea NOT NULL GENERATED ALWAYS AS (path_key(path)) STORED,
    summary     text NOT NULL,
    summary_of  bytea NOT NULL,
    PRIMARY KEY (source_id, path_sha256)
);

-- Line-aligned blocks of about 8 KB of text folded in Go, for grep (DEC22).
CREATE TABLE grep_blocks (
    document_id bigint NOT NULL REFERENCES documents ON DELETE CASCADE,
    first_line  integer NOT NULL,
    folded      text NOT NULL,
    PRIMARY KEY (document_id, first_line)
);
CREATE INDEX grep_blocks_trgm ON grep_blocks USING gin (folded gin_trgm_ops);

-- One vector table per (model, dimension), made at run time as vectors_<id> (DEC21).
CREATE TABLE vector_generations (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    model      text NOT NULL,
    dimension  integer NOT NULL CHECK (dimension > 0),
    threshold  real,                         -- calibrated gate of this model; null: its default
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (model, dimension)
);

-- One row: what is true of the knowledge base as a whole.
CREATE TABLE kb_state (
    only_row          boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    generation        bigint NOT NULL DEFAULT 0,  -- rises by one for each run that changed anything (ING3)
    dirty             boolean NOT NULL DEFAULT false, -- a run changed documents and hasn't finished (DEC20)
    overview          text NOT NULL DEFAULT '',
    active_vectors    bigint REFERENCES vector_generations,
    chunk_count       bigint NOT NULL DEFAULT 0,
    term_count        bigint NOT NULL DEFAULT 0,  -- sum of chunks.term_count: BM25's average length
    last_import_at    timestamptz
);
INSERT INTO kb_state DEFAULT VALUES;

-- Who imports, or has imported. The claim itself is a session advisory lock (DEC20).
CREATE TABLE runs (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    state       text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'failed', 'stopped', 'abandoned')),
    owner       text NOT NULL,               -- host and process id, for people
    started_at  timestamptz NOT NULL DEFAULT now(),
    finished_at timestamptz,
    report      jsonb NOT NULL DEFAULT '{}'
);

-- What a run left out and why, until the file is indexed or gone (REL3, SEC3).
CREATE TABLE skipped_files (
    source_id   bigint NOT NULL REFERENCES sources ON DELETE CASCADE,
    path        text NOT NULL,
    path_sha256 bytea NOT NULL GENERATED ALWAYS AS (path_key(path)) STORED,
    reason      text NOT NULL,
    PRIMARY KEY (source_id, path_sha256)
);

-- +goose Down
-- +goose StatementBegin
DO $$ DECLARE t regclass; BEGIN
    FOR t IN SELECT to_regclass('vectors_' || id) FROM vector_generations LOOP
        IF t IS NOT NULL THEN EXECUTE 'DROP TABLE ' || t; END IF;
    END LOOP;
END $$;
-- +goose StatementEnd
DROP TABLE skipped_files, runs, kb_state, vector_generations, grep_blocks, folder_summaries, terms, chunks, documents, sources;
DROP FUNCTION path_key;
