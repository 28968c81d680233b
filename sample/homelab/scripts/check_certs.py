#!/usr/bin/env python3
"""Warn before a certificate of the home CA runs out.

Runs daily on collie. Prints one line for each endpoint and exits with 1 when
one of them is due or can't be reached. Caddy renews its own; those made by hand
are the reason for this script. The database's can't be reached from here: it is
in the calendar. See notes/tls.md.
"""

import argparse
import datetime
import socket
import ssl
import sys

ENDPOINTS = [
    ("archive.home.arpa", 443),
    ("git.home.arpa", 443),
    ("graphs.home.arpa", 443),
    ("push.home.arpa", 443),
    ("reader.home.arpa", 443),
    ("ca.home.arpa", 9443),
    ("pug.home.arpa", 853),
    ("collie.home.arpa", 8000),
]


def days_left(host: str, port: int, context: ssl.SSLContext) -> int:
    """Return the whole days until the certificate of host:port expires."""
    with socket.create_connection((host, port), timeout=5) as raw:
        with context.wrap_socket(raw, server_hostname=host) as tls:
            cert = tls.getpeercert()
    expires = ssl.cert_time_to_seconds(cert["notAfter"])
    now = datetime.datetime.now(datetime.timezone.utc).timestamp()
    return int((expires - now) // 86400)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ca", default="/srv/certs/home-ca.crt", help="root certificate")
    parser.add_argument("--days", type=int, default=21, help="warn this many days before")
    args = parser.parse_args()

    context = ssl.create_default_context(cafile=args.ca)
    failed = False
    for host, port in ENDPOINTS:
        try:
            left = days_left(host, port, context)
        except (OSError, ssl.SSLError) as error:
            print(f"FAIL {host}:{port} {error}")
            failed = True
            continue
        # Caddy's certificates live for seven days, so three left is normal there.
        limit = 2 if port == 443 else args.days
        due = left < limit
        failed = failed or due
        print(f"{'DUE ' if due else 'ok  '} {host}:{port} {left} days left")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
