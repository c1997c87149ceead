"""gradstep's version."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version


def version_text() -> str:
    """Return gradstep's version; a clone that is not installed has none."""
    try:
        return version("gradstep")
    except PackageNotFoundError:
        return "0"
