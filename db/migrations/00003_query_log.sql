-- What was asked and how it was answered, for the admin (QA3, AD2).

-- +goose Up
-- One row a turn that ended well, written by the process that ran it. It refers to
-- no turn: a conversation goes sooner than what is learnt from it.
CREATE TABLE query_log (
    id                bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    asked_at          timestamptz NOT NULL DEFAULT now(),
    question          text NOT NULL,
    embed_ms          integer NOT NULL,
    top_score         double precision NOT NULL,
    fts_hits          integer NOT NULL,
    summary_hits      integer NOT NULL,
    tuning            integer NOT NULL,
    kb_chars          integer NOT NULL,
    history_msgs      integer NOT NULL,
    threshold         double precision NOT NULL,
    deflected         boolean NOT NULL,
    why               text NOT NULL,           -- the rule that decided on deflection
    sources           text[] NOT NULL,         -- source/path; none when deflected
    thinking_chars    integer NOT NULL,
    tool_calls        integer NOT NULL,
    first_ms          integer NOT NULL,        -- to the first text; 0: there was none
    total_ms          integer NOT NULL,
    retries           integer NOT NULL,
    scaffold_stripped integer NOT NULL,
    verbatim_blocks   integer NOT NULL,
    prompt_tokens     integer NOT NULL,        -- 0: the model's server didn't say
    completion_tokens integer NOT NULL
);
CREATE INDEX query_log_asked ON query_log (asked_at);
CREATE INDEX query_log_deflected ON query_log (id) WHERE deflected;

-- +goose Down
DROP TABLE query_log;
