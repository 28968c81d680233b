#!/usr/bin/env bash
# Fails when generated code is not what its sources give: generates into a copy
# and compares, so that the work tree stays as it is.
set -euo pipefail
cd "$(dirname "$0")/.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git ls-files -z --cached --others --exclude-standard | xargs -0 tar cf - --ignore-failed-read 2>/dev/null | tar xf - -C "$copy"
(cd "$copy" && make --no-print-directory generate >/dev/null)
stale=0
while IFS= read -r file; do
	cmp -s "$file" "$copy/$file" || { echo "not current: $file (run 'make generate')" >&2; stale=1; }
done < <(cd "$copy" && find views -name '*_templ.go' && find db -maxdepth 1 \( -name '*.sql.go' -o -name 'sqlc_*.go' \))
exit $stale
