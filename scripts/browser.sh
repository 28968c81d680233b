#!/usr/bin/env bash
# Brings what the browser journeys need: Chromium from the system's packages, and
# from npm the driver that playwright-go expects, with axe. Does nothing when all
# is there.
set -euo pipefail
cd "$(dirname "$0")/.."

have_chromium() { command -v chromium || command -v chromium-browser || command -v google-chrome; }

if [ -z "${BOR_CHROMIUM:-}" ] && ! have_chromium >/dev/null; then
	if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
		echo "installing Chromium from this system's packages"
		apt-get -qq update
		DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends chromium fonts-dejavu-core >/dev/null
	else
		echo "The browser journeys need Chromium. Install it (Debian: apt-get install chromium fonts-dejavu-core)," >&2
		echo "or set BOR_CHROMIUM to a Chromium or Chrome program, and run this again." >&2
		exit 1
	fi
fi

if [ ! -f e2e/node_modules/.package-lock.json ] || [ e2e/package-lock.json -nt e2e/node_modules/.package-lock.json ]; then
	command -v npm >/dev/null || { echo "The browser journeys need Node.js and npm. Install both and run this again." >&2; exit 1; }
	(cd e2e && NPM_CONFIG_UPDATE_NOTIFIER=false npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
	touch e2e/node_modules/.package-lock.json
fi
