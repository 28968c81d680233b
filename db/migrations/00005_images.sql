-- Images as documents, and as figures of answers (DEC28).

-- +goose Up
-- The bytes of an image without its metadata, once for all that shows it. They
-- stay while a document or a record does.
CREATE TABLE images (
    sha256       bytea PRIMARY KEY,
    media_type   text NOT NULL CHECK (media_type IN ('image/png', 'image/jpeg', 'image/gif', 'image/webp')),
    width        integer NOT NULL CHECK (width > 0),
    height       integer NOT NULL CHECK (height > 0),
    bytes        bytea NOT NULL,
    unused_since timestamptz              -- set when nothing refers to it any more
);
ALTER TABLE images ALTER COLUMN bytes SET STORAGE EXTERNAL; -- compressed already
ALTER TABLE documents ADD COLUMN image_sha256 bytea REFERENCES images; -- of an image document
CREATE INDEX documents_image ON documents (image_sha256) WHERE image_sha256 IS NOT NULL;
CREATE INDEX documents_images ON documents (source_id) WHERE kind = 'image';
CREATE INDEX turns_images ON turns (id) WHERE record ? 'answer_image';

-- Who refers to an image, by its hash in hexadecimal. Whatever else stores records
-- adds itself here.
CREATE VIEW image_uses AS
    SELECT encode(image_sha256, 'hex') AS sha256 FROM documents WHERE image_sha256 IS NOT NULL
    UNION ALL
    SELECT jsonb_path_query(record, '$.answer_image[*].sha256') #>> '{}' FROM turns WHERE record ? 'answer_image'
    UNION ALL
    SELECT payload -> 'tool' -> 'image' ->> 'sha256' FROM turn_events
    WHERE kind = 'tool_result' AND payload -> 'tool' ? 'image';

-- Made before there were images to keep: the next import reads their files again.
UPDATE documents SET recipe = '' WHERE kind = 'image';

-- +goose Down
DROP VIEW image_uses;
DROP INDEX turns_images, documents_images;
ALTER TABLE documents DROP COLUMN image_sha256;
DROP TABLE images;
