-- Conversations and turns, sessions, and the limit on logins.

-- +goose Up
-- Owned by (session, principal); every route checks both (DEC13).
CREATE TABLE conversations (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    visitor    text NOT NULL,                -- random id kept in the browser's session
    principal  text NOT NULL,                -- 'admin', later 'token:<id>'
    created_at timestamptz NOT NULL DEFAULT now(),
    touched_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX conversations_owner ON conversations (visitor, principal, id DESC);

-- A turn's owner is the process that accepted it: lease by the database's clock,
-- every write fenced by owner and state (DEC11). The record is raw text and
-- structure (D8); events are its log while it runs.
CREATE TABLE turns (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    conversation_id bigint NOT NULL REFERENCES conversations ON DELETE CASCADE,
    submit_id       text NOT NULL,           -- the same id returns the same turn (DEC12)
    question        text NOT NULL CHECK (char_length(question) BETWEEN 1 AND 16000),
    state           text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'error', 'stopped', 'interrupted')),
    owner           text NOT NULL,
    lease_until     timestamptz NOT NULL,
    stop_requested  boolean NOT NULL DEFAULT false,
    last_seq        bigint NOT NULL DEFAULT 0,
    record          jsonb,                   -- bor.chat.v1 turn, set with the terminal state
    started_at      timestamptz NOT NULL DEFAULT now(),
    finished_at     timestamptz,
    UNIQUE (conversation_id, submit_id)
);
CREATE UNIQUE INDEX turns_one_running ON turns (conversation_id) WHERE state = 'running';
CREATE INDEX turns_running ON turns (lease_until) WHERE state = 'running';

CREATE TABLE turn_events (
    turn_id bigint NOT NULL REFERENCES turns ON DELETE CASCADE,
    seq     bigint NOT NULL,
    kind    text NOT NULL,
    payload jsonb NOT NULL,
    PRIMARY KEY (turn_id, seq)
);

-- The layout that the scs store expects.
CREATE TABLE sessions (
    token  text PRIMARY KEY,
    data   bytea NOT NULL,
    expiry timestamptz NOT NULL
);
CREATE INDEX sessions_expiry ON sessions (expiry);

CREATE TABLE login_attempts (
    client_sha256 bytea NOT NULL,            -- hash of the client's address (/64 for IPv6)
    attempted_at  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX login_attempts_client ON login_attempts (client_sha256, attempted_at);

-- +goose Down
DROP TABLE login_attempts, sessions, turn_events, turns, conversations;
