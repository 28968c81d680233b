#!/usr/bin/env bash
# Dumps the databases, then sends the dumps and the services' files to collie.
# Started by restic-backup.timer as pods on bernard; settings: systemd/restic.env.
set -euo pipefail

: "${RESTIC_REPOSITORY:?is not set; run it through restic-backup.service}"
: "${DUMP_DIR:=/srv/dumps}"

say() { printf '%s %s\n' "$(date +%FT%T%z)" "$*"; }

tell() { # tell PRIORITY TEXT: a failed push must not fail the backup
    curl -fsS -m 10 -H "Priority: $1" -d "$2" "${NTFY_URL:?}" >/dev/null || say "push failed"
}

trap 'tell high "bernard: backup failed in line $LINENO"' ERR

for db in gufo reader; do
    say "dump $db"
    podman exec gufo-db pg_dump -U gufo -Fc "$db" >"$DUMP_DIR/$db.dump.new"
    # Under its final name only when it is whole.
    mv "$DUMP_DIR/$db.dump.new" "$DUMP_DIR/$db.dump"
done
podman exec gufo-db pg_dumpall -U gufo --roles-only --no-role-passwords >"$DUMP_DIR/roles.sql"

say "backup"
gufo_files=$(podman volume inspect gufo-data --format '{{.Mountpoint}}')
podman unshare restic backup --tag nightly --exclude-caches \
    "$DUMP_DIR" /srv/forge /srv/caddy /srv/homelab "$gufo_files"

say "forget"
restic forget --tag nightly --host bernard \
    --keep-daily "$KEEP_DAILY" --keep-weekly "$KEEP_WEEKLY" --keep-monthly "$KEEP_MONTHLY"

if [ "$(date +%u)" = 7 ]; then
    say "prune and check (Sundays)"
    restic prune --max-unused 5%
    restic check --read-data-subset=5%
fi

printf 'homelab_backup_finished_seconds{host="bernard"} %s\n' "$(date +%s)" \
    >/var/lib/node_exporter/backup.prom
tell min "bernard: backup done"
say "done"
