"""Run a crowd: `python -m tests.load [--clients 50] [--seconds 30] [--kill-every 0.5]` prints its report."""

from __future__ import annotations

import argparse
import asyncio
import sys

from tests.load.crowd import Crowd
from tests.serving import served


def main() -> int:
    """Serve, send, report; exit code 1 if anything was lost or got through."""
    parser = argparse.ArgumentParser("python -m tests.load", description="Load a server of its own.")
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--kill-every", type=float, default=None, help="seconds between two killed processes")
    options = parser.parse_args()
    with served(proxies="127.0.0.1") as (address, pid):
        crowd = Crowd(address, pid, options.clients, options.seconds, options.kill_every)
        report = asyncio.run(crowd.run())
    print(f"{options.clients} clients, {options.seconds:g} s", *report.lines(), sep="\n")
    return 1 if report.lost or report.escaped else 0


if __name__ == "__main__":
    sys.exit(main())
