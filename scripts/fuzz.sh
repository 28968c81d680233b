#!/usr/bin/env bash
# Runs every fuzz target of the module for the given time each.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-20s}
grep -rlE '^func Fuzz[A-Za-z]+' --include='*_test.go' . | while IFS= read -r file; do
	grep -oE '^func Fuzz[A-Za-z0-9_]+' "$file" | sed 's/func //' | while IFS= read -r target; do
		echo "== $target ($(dirname "$file"))"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "./$(dirname "$file")"
	done
done
