#!/usr/bin/env bash
# Prints the path of an nginx program: the system's, or one that is brought from
# Debian's packages into data/nginx, where nothing of the system changes.
set -euo pipefail
cd "$(dirname "$0")/.."

for found in "$(command -v nginx || true)" /usr/sbin/nginx "$PWD/data/nginx/usr/sbin/nginx"; do
	if [ -x "$found" ] && "$found" -v >/dev/null 2>&1; then
		echo "$found"
		exit 0
	fi
done

fail() {
	echo "The fault suite needs nginx with TLS and HTTP/2. $1 Install it (Debian: apt-get install nginx-light) and run this again." >&2
	exit 1
}
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || fail "This system has no apt-get and dpkg-deb to bring it with."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
if ! apt-get -qq download nginx >/dev/null 2>&1; then
	[ "$(id -u)" = 0 ] && apt-get -qq update >/dev/null 2>&1 || true
	apt-get -qq download nginx >/dev/null 2>&1 || fail "Its package could not be fetched."
fi
dpkg-deb -x nginx_*.deb root
cd - >/dev/null
mkdir -p data
rm -rf data/nginx
mv "$work/root" data/nginx
data/nginx/usr/sbin/nginx -v >/dev/null 2>&1 || fail "The fetched program doesn't run here."
echo "$PWD/data/nginx/usr/sbin/nginx"
