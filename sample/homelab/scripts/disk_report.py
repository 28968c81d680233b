#!/usr/bin/env python3
"""Report file systems that fill up to the push topic "disk".

The limits are in etc/disk-report.toml. A mount point that stays over its limit
is reported again only after repeat_hours, or at once when it gets urgent.
"""

import json
import pathlib
import shutil
import socket
import sys
import time
import tomllib
import urllib.request

CONFIG = pathlib.Path("/srv/homelab/etc/disk-report.toml")
STATE = pathlib.Path("/var/lib/disk-report/state.json")


def level(path: str, warn: int, urgent: int) -> tuple[str, float]:
    """Return "ok", "warn" or "urgent", and the used share in percent."""
    usage = shutil.disk_usage(path)
    percent = 100 * usage.used / (usage.used + usage.free)
    if percent >= urgent:
        return "urgent", percent
    return ("warn" if percent >= warn else "ok"), percent


def push(url: str, text: str, urgent: bool) -> None:
    request = urllib.request.Request(url, data=text.encode(), method="POST")
    request.add_header("Priority", "urgent" if urgent else "default")
    request.add_header("Tags", "floppy_disk")
    urllib.request.urlopen(request, timeout=10).close()


def main() -> int:
    config = tomllib.loads(CONFIG.read_text())
    alert = config["alert"]
    state = json.loads(STATE.read_text()) if STATE.exists() else {}
    now = time.time()

    for mount in config["mount"]:
        path = mount["path"]
        if not pathlib.Path(path).is_mount():
            continue
        found, percent = level(
            path,
            mount.get("warn_percent", alert["warn_percent"]),
            mount.get("urgent_percent", alert["urgent_percent"]),
        )
        last = state.get(path, {"level": "ok", "at": 0})
        worse = found == "urgent" and last["level"] != "urgent"
        stale = now - last["at"] > alert["repeat_hours"] * 3600
        print(f"{path} {percent:.1f} % {found}")
        if found == "ok":
            state[path] = {"level": "ok", "at": 0}
        elif worse or stale:
            push(alert["topic_url"], f"{socket.gethostname()} {path}: {percent:.0f} % used", found == "urgent")
            state[path] = {"level": found, "at": now}

    STATE.parent.mkdir(parents=True, exist_ok=True)
    STATE.write_text(json.dumps(state, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
