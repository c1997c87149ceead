"""Files for the browser: where they are, addresses with a content hash, the import map. Renders nothing."""

from __future__ import annotations

import hashlib
import mimetypes
from functools import lru_cache
from pathlib import Path

from starlette.datastructures import QueryParams
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

ROOM = Path(__file__).parent
YEAR = 31_536_000  # seconds
HASH = 12  # characters


def folder(name: str) -> Path:
    """Return a folder of page files: packaged inside the app by a wheel, beside it in a clone."""
    packaged = ROOM / f"_{name}"
    return packaged if packaged.is_dir() else ROOM.parent / name


STATIC, TEMPLATES = folder("static"), folder("templates")


def asset_url(path: str) -> str:
    """Return the address of a file under static/; it changes whenever the content does."""
    return f"/static/{path}?v={version_of(STATIC / path)}"


def import_map() -> dict:
    """Return the import map: one name for each of our modules and each built one."""
    names = {}
    for top in ("js", "vendor"):
        for file in sorted((STATIC / top).rglob("*.js")):
            inside = file.relative_to(STATIC).as_posix()
            names[f"#{inside}"] = asset_url(inside)
    return {"imports": names}


def version_of(file: Path) -> str:
    """Return the hash of a file's content, or "missing"."""
    try:
        stat = file.stat()
    except OSError:
        return "missing"
    return content_hash(file, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=1024)
def content_hash(file: Path, mtime_ns: int, size: int) -> str:
    """Return the hash of a file that has not changed since `mtime_ns`."""
    return hashlib.sha256(file.read_bytes()).hexdigest()[:HASH]


class HashedFiles(StaticFiles):
    """Static files: kept for a year when asked for by their present hash, else checked each time."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Answer with a file and say how long it may be kept."""
        response = await super().get_response(path, scope)
        asked = QueryParams(scope["query_string"]).get("v")
        current = asked is not None and asked == version_of(STATIC / path)
        response.headers["Cache-Control"] = f"public, max-age={YEAR}, immutable" if current else "no-cache"
        return response


def static_files() -> HashedFiles:
    """Return the application behind /static."""
    mimetypes.add_type("text/javascript", ".js")  # some systems' tables say text/plain, which no browser runs
    return HashedFiles(directory=STATIC, check_dir=False)
