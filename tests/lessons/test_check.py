"""The checker: the course holds, and each kind of mistake an author can make is told in words."""

from __future__ import annotations

import asyncio
import re
import shutil
from pathlib import Path

import pytest

from app.lesson_command import check_folders
from app.lessons import shelf
from app.settings import Settings

MODEL = next(each for each in shelf.CONTENT.iterdir() if each.name.startswith("01-"))


def problems(folder: Path) -> str:
    """Return what the checker says of a folder."""
    return "\n".join(str(each) for each in asyncio.run(check_folders([folder], Settings()))[1])


def test_every_lesson_of_the_course_holds_against_its_run():
    count, found = asyncio.run(check_folders([], Settings()))
    assert count == len([each for each in shelf.CONTENT.iterdir() if each.is_dir()])
    assert [str(each) for each in found] == []


MISTAKES = [
    ("en.md", r"answer: value\(y\)", "answer: value(nobody)", "no tensor is called nobody"),
    ("en.md", r"reveal: grad x", "reveal: grad x #7", "happens 1 times"),
    ("en.md", r"<node:PowBackward0>", "<node:TanhBackward0>", "no node is called"),
    ("en.md", r"the square, ", "the square 42, ", "42 is typed by hand"),
    ("en.md", r"`y = x \*\* 2`", "`y = x ** 5`", "5 is not in snippet.py"),
    ("en.md", r"term:leaf", "term:leef", "there is no term leef"),
    ("en.md", r"answer: next", "answer: NoNode", "no node is called NoNode"),
    ("en.md", r"otherwise: Square.*", "", "`otherwise` is missing"),
    ("en.md", r"when: grad\(x\) is None", "when: grad(x) is not None", "2 of the choices are right"),
    ("en.md", r"reason: `None` only.*", "", "has no reason"),
    ("en.md", r"because: Each number.*", "", "has no `because`"),
    ("en.md", r"id: first-node", "ident: first-node", "`ident` is not one of"),
    ("en.md", r"summary: .*", "", "has no `summary`"),
    ("en.md", r"minutes: 6", "minutes: six", "whole number"),
    ("en.md", r"at: (.*)", "at: start\nlevel: deep", "`level` is one of chain, engine, story, not deep"),
    ("zh.md", r"at: (.*)", "at: start\nlevel: engine", "is not built as"),
    ("en.md", r"(?s)\A---\n", "", "front matter"),
    ("en.md", r"(?s)```\n\Z|```\n(?!.*```)", "", "does not end"),
    ("zh.md", r"id: first-node", "id: other-node", "is not built as"),
    ("zh.md", r"(?s)## 回头看一遍.*", "", "6 sections|5 sections"),
    ("snippet.py", r"import torch", "import socket", "does not run"),
    ("snippet.py", r"x \*\* 2", "x ** 3", "is not in snippet.py|has no value|are right|nobody|holds|\\[2"),
]


@pytest.mark.parametrize(("name", "before", "after", "words"), MISTAKES, ids=[m[3] for m in MISTAKES])
def test_a_mistake_is_told_in_words(tmp_path: Path, name: str, before: str, after: str, words: str):
    folder = tmp_path / MODEL.name
    shutil.copytree(MODEL, folder)
    text = (folder / name).read_text(encoding="utf-8")
    changed = re.sub(before, lambda _: after, text, count=1)
    assert changed != text
    (folder / name).write_text(changed, encoding="utf-8")
    assert re.search(words, problems(folder)), problems(folder)


@pytest.mark.parametrize("name", ["en.md", "zh.md", "snippet.py"])
def test_a_file_that_is_missing_is_named(tmp_path: Path, name: str):
    folder = tmp_path / MODEL.name
    shutil.copytree(MODEL, folder)
    (folder / name).unlink()
    assert f"{name} is missing" in problems(folder)


@pytest.mark.parametrize("name", ["en.md", "snippet.py"])
def test_a_file_in_another_encoding_is_told_with_its_line(tmp_path: Path, name: str):
    folder = tmp_path / MODEL.name
    shutil.copytree(MODEL, folder)
    lines = (folder / name).read_bytes().splitlines(keepends=True)
    (folder / name).write_bytes(b"".join((*lines[:2], "# 梯度\n".encode("gbk"), *lines[2:])))
    assert f"{name}:3: this is not UTF-8" in problems(folder)


def test_the_mark_that_windows_puts_first_is_no_part_of_the_text(tmp_path: Path):
    folder = tmp_path / MODEL.name
    shutil.copytree(MODEL, folder)
    for name in ("en.md", "snippet.py"):
        (folder / name).write_bytes(b"\xef\xbb\xbf" + (folder / name).read_bytes())
    assert problems(folder) == ""


def test_a_program_that_nobody_shows_is_told(tmp_path: Path):
    folder = tmp_path / MODEL.name
    shutil.copytree(MODEL, folder)
    (folder / "other.py").write_text("import torch\n", encoding="utf-8")
    assert "no section shows this program" in problems(folder)
