-- The registry of sources, uploaded archives, and what a run tells while it goes on.

-- +goose Up
ALTER TABLE sources
    ADD COLUMN branch        text NOT NULL DEFAULT '',    -- of a git source; empty: the remote's own
    ADD COLUMN allow_secrets text[] NOT NULL DEFAULT '{}', -- exact paths indexed although they are secrets (SEC3)
    ADD COLUMN from_settings boolean NOT NULL DEFAULT false, -- made from BOR_GIT_SOURCES, not by the admin
    ADD COLUMN removed_at    timestamptz,                 -- the next sync removes it with its documents (ING1)
    ADD COLUMN revision      text NOT NULL DEFAULT '',    -- the commit that was synced last
    ADD COLUMN synced_at     timestamptz,                 -- when a sync of it last succeeded
    ADD COLUMN last_run_at   timestamptz,                 -- when a sync of it last ended, however
    ADD COLUMN last_report   jsonb NOT NULL DEFAULT '{}'; -- what came of that
CREATE UNIQUE INDEX sources_git ON sources (location, branch) WHERE kind = 'git';

-- The file of an archive source, whole or not at all. Its bytes lie in rows of
-- about 1 MB, compressed by nobody because they are compressed already (DEC17).
CREATE SEQUENCE archive_versions;
CREATE TABLE archives (
    source_id   bigint PRIMARY KEY REFERENCES sources ON DELETE CASCADE,
    version     bigint NOT NULL UNIQUE,      -- another upload is another version
    file_name   text NOT NULL,
    bytes       bigint NOT NULL,
    sha256      bytea NOT NULL,
    uploaded_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE archive_parts (
    version bigint NOT NULL REFERENCES archives (version) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    number  integer NOT NULL,                -- from 0; all but the last have the same length
    bytes   bytea NOT NULL,
    PRIMARY KEY (version, number)
);
ALTER TABLE archive_parts ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- Progress, at most twice a second, and the wish to stop, from any process.
ALTER TABLE runs
    ADD COLUMN progress       jsonb NOT NULL DEFAULT '{}',
    ADD COLUMN seen_at        timestamptz,           -- when the run last told of itself
    ADD COLUMN stop_requested boolean NOT NULL DEFAULT false,
    ADD COLUMN everything     boolean NOT NULL DEFAULT false; -- a sync of the whole registry

-- A summary that a person wrote stays while its file does (ING5).
ALTER TABLE documents ADD COLUMN summary_edited boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE documents DROP COLUMN summary_edited;
ALTER TABLE runs DROP COLUMN progress, DROP COLUMN seen_at, DROP COLUMN stop_requested, DROP COLUMN everything;
DROP TABLE archive_parts, archives;
DROP SEQUENCE archive_versions;
DROP INDEX sources_git;
ALTER TABLE sources DROP COLUMN branch, DROP COLUMN allow_secrets, DROP COLUMN from_settings, DROP COLUMN removed_at,
    DROP COLUMN revision, DROP COLUMN synced_at, DROP COLUMN last_run_at, DROP COLUMN last_report;
