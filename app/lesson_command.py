"""`gradstep lessons check [FOLDER …]`: runs the programs of lessons and tells their author what is wrong."""

from __future__ import annotations

from pathlib import Path

import orjson

from app.i18n import LANGUAGES
from app.lessons import shelf
from app.lessons.check import check
from app.lessons.model import Lesson, Problem
from app.lessons.parse import Unreadable, read_lesson
from app.lessons.run import Run
from app.sandbox.pool import Pool
from app.settings import Settings


async def check_folders(folders: list[Path], settings: Settings) -> tuple[int, list[Problem]]:
    """Return how many lessons stand in the folders, and everything that is wrong with them.

    A folder is that of one lesson, or one of lessons; without any: the course.
    """
    found: list[Lesson] = []
    problems: list[Problem] = []
    for folder in sorted(each for given in folders or [shelf.CONTENT] for each in lesson_folders(given)):
        try:
            found.append(read_lesson(folder))
        except Unreadable as unreadable:
            problems += unreadable.problems
    slugs = {lesson.slug for lesson in (*found, *shelf.lessons())}
    async with Pool(settings.limits, 1) as pool:
        for lesson in found:
            runs = {
                name: Run(orjson.loads(await pool.run(source))) for name, source in lesson.programs.items()
            }
            problems += check(lesson, runs, slugs, set(LANGUAGES))
    return len(found), problems


def lesson_folders(given: Path) -> list[Path]:
    """Return the folders of lessons that a path means."""
    if any(given.glob("*.md")):
        return [given]
    return [each for each in given.iterdir() if each.is_dir() and not each.name.startswith((".", "_"))]
