"""What an operator's Prometheus may know: counts and times, nothing of any program. Serves nothing itself."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from starlette.requests import Request

from app.sandbox.pool import Pool

CONTENT_TYPE = CONTENT_TYPE_LATEST
FORWARDING = ("forwarded", "x-forwarded-for", "x-real-ip")  # a proxy on this machine speaks for somebody else
SECONDS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30)
KINDS = ("finished", "error", "refused")
LIMITS = ("time", "memory", "rows", "elements", "made", "output", "trace", "crash", "violation")


class Metrics:
    """The numbers of one application."""

    def __init__(self, pool: Pool) -> None:
        self.registry = CollectorRegistry()
        here = {"registry": self.registry}
        self.runs = Counter("gradstep_runs", "Runs by how they ended.", ("outcome",), **here)
        self.refused = Counter("gradstep_refusals", "Requests answered with a problem.", ("status",), **here)
        self.checks = Counter("gradstep_checks", "Checked traces by what was found.", ("found",), **here)
        self.seconds = Histogram(
            "gradstep_run_seconds", "Time of a run, waiting included.", buckets=SECONDS, **here
        )
        self.first_row = Histogram(
            "gradstep_first_row_seconds", "Time to the first row, waiting included.", buckets=SECONDS, **here
        )
        waiting = Gauge("gradstep_runs_waiting", "Runs that wait for a free process.", **here)
        waiting.set_function(lambda: pool.waiting)
        workers = Gauge("gradstep_workers", "Processes for runs that are up.", **here)
        workers.set_function(lambda: len(pool.workers))
        for outcome in (*KINDS, *(f"limit_{limit}" for limit in LIMITS)):
            self.runs.labels(outcome)  # there from the start, at 0
        pool.on_run = self.ran

    def ran(self, outcome: Mapping[str, Any], seconds: float, first: float | None) -> None:
        """Count a run. What ended it is what a stranger's process said: unknown words are one word."""
        kind = outcome["kind"]
        if kind == "limit":
            kind = f"limit_{outcome['limit'] if outcome['limit'] in LIMITS else 'crash'}"
        self.runs.labels(kind).inc()
        self.seconds.observe(seconds)
        if first is not None:
            self.first_row.observe(first)

    def checked(self, stopped: str | None, problems: int) -> None:
        """Count a check of a trace."""
        self.checks.labels("stopped" if stopped else "problems" if problems else "holds").inc()

    def text(self) -> bytes:
        """Return all numbers in Prometheus' text format."""
        return generate_latest(self.registry)


def may_see(request: Request, who: str) -> bool:
    """Return whether a request may see the numbers: `who` is everyone, nobody, or loopback (this machine)."""
    if who != "loopback":
        return who == "everyone"
    return is_loopback(request) and not any(name in request.headers for name in FORWARDING)


def is_loopback(request: Request) -> bool:
    """Return whether a request comes from this very machine."""
    try:
        return request.client is not None and ip_address(request.client.host).is_loopback
    except ValueError:
        return False
