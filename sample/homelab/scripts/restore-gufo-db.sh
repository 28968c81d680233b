#!/usr/bin/env bash
# Restores one database from a dump into a new database beside the old one.
#   scripts/restore-gufo-db.sh gufo /srv/restore/gufo.dump
# The old database stays until you drop it; runbooks/restore-postgres.md says when.
set -euo pipefail

if [ $# -ne 2 ]; then
    echo "usage: $0 DATABASE DUMP" >&2
    exit 64
fi
db=$1 dump=$2 new="${1}_restored"

case $db in
    gufo | reader) ;;
    *) echo "$0: only gufo and reader live on this server, not '$db'" >&2; exit 64 ;;
esac
[ -r "$dump" ] || { echo "$0: can't read $dump (are you pods?)" >&2; exit 66; }

podman exec gufo-db createdb -U gufo -T template0 -E UTF8 "$new"

# --userns=keep-id: /srv/restore has mode 0700 and belongs to pods. Inside the
# container we are pods too, so that it can be read without opening it to all.
podman run --rm --userns=keep-id \
    --network gufo \
    --secret gufo-db-password,type=env,target=PGPASSWORD \
    --volume "$(dirname "$dump")":/restore:ro,Z \
    docker.io/library/postgres:17.7 \
    pg_restore --exit-on-error --no-owner --jobs=4 \
        --host=db --username=gufo --dbname="$new" "/restore/$(basename "$dump")"

podman exec gufo-db vacuumdb -U gufo --analyze-only "$new"
podman exec gufo-db psql -U gufo -d "$new" -c '\dt+'
echo "restored into $new; to switch over, see runbooks/restore-postgres.md"
