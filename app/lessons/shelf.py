"""The lessons of the course, and those of a teacher: read from folders, again when a file has changed."""

from __future__ import annotations

import logging
from functools import lru_cache
from pathlib import Path

from app.lessons.model import Lesson
from app.lessons.parse import Unreadable, read_lesson

CONTENT = Path(__file__).parent / "content"
log = logging.getLogger("gradstep.lessons")


def lessons(*folders: Path) -> tuple[Lesson, ...]:
    """Return every lesson that can be read, in order; one that cannot is left out and logged."""
    found = []
    for folder in folders or (CONTENT,):
        for each in sorted(folder.iterdir()) if folder.is_dir() else []:
            if each.is_dir() and not each.name.startswith((".", "_")):
                lesson = kept(each, newest(each))
                found += [lesson] if lesson else []
    return tuple(found)


def find(slug: str, *folders: Path) -> Lesson | None:
    """Return the lesson of that name, or None."""
    return next((lesson for lesson in lessons(*folders) if lesson.slug == slug), None)


def newest(folder: Path) -> tuple[tuple[str, int], ...]:
    """Return what changes when a file of the folder does."""
    return tuple(sorted((file.name, file.stat().st_mtime_ns) for file in folder.iterdir() if file.is_file()))


@lru_cache(maxsize=512)
def kept(folder: Path, _state: tuple) -> Lesson | None:
    """Return the lesson in a folder, None if it cannot be read."""
    try:
        return read_lesson(folder)
    except Unreadable as unreadable:
        log.warning("a lesson is left out:\n%s", unreadable)
        return None
