"""Tells an author in plain words what is wrong with a lesson: against its twin, its program, its trace."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from app.lessons import facts, moments
from app.lessons.glossary import terms
from app.lessons.model import Checkpoint, Lesson, Problem, Section, Text
from app.lessons.prose import Untrue, bare
from app.lessons.run import Run
from app.lessons.told import section_told

MOST_MINUTES = 10
WORDS_A_MINUTE, SIGNS_A_MINUTE, MINUTES_A_QUESTION = 180, 330, 0.5
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d*)?(?:e-?\d+)?(?![\w])")
ARGUMENT = re.compile(r"(?<=\w)\(-?\d+\)")  # of a call that is named only: unsqueeze(1)
CODE = re.compile(r"`([^`]+)`")
FORMULA = re.compile(r"\$[^$]+\$")
LINK = re.compile(r"\]\(<?([^)>]*)>?\)")
CHINESE = re.compile(r"[\u4e00-\u9fff]")
ENDS_BADLY = {"limit", "refused"}
TROUBLES = (facts.NotAFact, moments.NoSuchStep, Untrue)


def check(lesson: Lesson, runs: Mapping[str, Run], slugs: set[str], languages: set[str]) -> list[Problem]:
    """Return everything that is wrong with a lesson, given its programs' runs and all lessons' names."""
    problems = [*of_folder(lesson, slugs, languages), *of_programs(lesson, runs)]
    for text in lesson.texts.values():
        problems += of_text(lesson, text, runs)
        problems += of_links(lesson, text, {"term": set(terms()), "lesson": slugs})
    return [*problems, *of_twins(lesson)]


def of_folder(lesson: Lesson, slugs: set[str], languages: set[str]) -> Iterator[Problem]:
    """What the front matter promises and the folder lacks."""
    name = lesson.folder.name
    for lang in sorted(languages - set(lesson.texts)):
        yield Problem(name, 1, f"{lang}.md is missing: readers of that language get English, and are told so")
    for need in lesson.needs:
        if need not in slugs:
            yield Problem(f"{name}/en.md", 1, f"it needs the lesson {need}, which there is not")


def of_programs(lesson: Lesson, runs: Mapping[str, Run]) -> Iterator[Problem]:
    """Whether every program runs to an end that PyTorch would give it."""
    used = {section.program for text in lesson.texts.values() for section in text.sections}
    for name in sorted(used - set(lesson.programs)):
        yield Problem(lesson.folder.name, 1, f"the text shows {name}, which is not in the folder")
    for name in sorted(set(lesson.programs) - used):
        yield Problem(f"{lesson.folder.name}/{name}", 1, "no section shows this program")
    for name, run in runs.items():
        outcome = run.trace["outcome"]
        if outcome["kind"] in ENDS_BADLY:
            yield Problem(f"{lesson.folder.name}/{name}", 1, f"it does not run: {outcome['message']}")


def of_text(lesson: Lesson, text: Text, runs: Mapping[str, Run]) -> Iterator[Problem]:
    """What does not hold in one language."""
    file = f"{lesson.folder.name}/{text.file.name}"
    if not text.sections:
        yield Problem(file, 1, "it has no section; one begins with ## Title")
    minutes = length(text)
    if minutes > MOST_MINUTES:
        yield Problem(file, 1, f"it takes about {minutes:.0f} minutes; {MOST_MINUTES} is the most")
    for section in text.sections:
        if section.program in runs:
            yield from of_section(file, section, runs)
            yield from typed_numbers(file, section, lesson)


def of_links(lesson: Lesson, text: Text, known: Mapping[str, set[str]]) -> Iterator[Problem]:
    """Links to terms and lessons that there are not."""
    for section in text.sections:
        asked = section.checkpoint
        parts = [
            section.prose,
            section.after,
            *([asked.ask, asked.because, asked.otherwise] if asked else []),
        ]
        for address in LINK.findall("\n".join(parts)):
            kind, _, name = address.partition(":")
            if kind in known and name.strip() not in known[kind]:
                file = f"{lesson.folder.name}/{text.file.name}"
                yield Problem(file, section.at_line, f"there is no {kind} {name.strip()}")


def of_section(file: str, section: Section, runs: Mapping[str, Run]) -> Iterator[Problem]:
    """What the trace does not bear out."""
    where = section.at_line
    try:
        told = section_told(section, runs)
    except TROUBLES as trouble:
        yield Problem(file, where, f"“{section.title}”: {trouble}")
        return
    except (ValueError, LookupError, TypeError) as trouble:
        yield Problem(file, where, f"“{section.title}” cannot be told: {trouble}")
        return
    if section.checkpoint:
        yield from (
            Problem(file, where, f"{section.checkpoint.id}: {words}")
            for words in of_checkpoint(section.checkpoint, told["checkpoint"], told["k"])
        )


def of_checkpoint(asked: Checkpoint, told: dict, k: int) -> Iterator[str]:
    """What is wrong with a question."""
    if told["reveal"] < k:
        yield "the step that shows the answer comes before the step at which it is asked"
    if asked.kind == "choice":
        right = [choice for choice in told["choices"] if choice["right"]]
        if len(right) != 1:
            yield f"{len(right)} of the choices are right, exactly one must be"
        for choice, written in zip(told["choices"], asked.choices):
            if not choice["right"] and not choice["reason"]:
                yield f"the wrong answer “{written.text}” has no reason"
    elif asked.kind == "number":
        if any(isinstance(each, str | None.__class__ | bool) for each in moments.flat([told["answer"]])):
            yield f"the answer is {told['answer']!r}, which nobody can type as a number; give choices"
        if not told["otherwise"]:
            yield "`otherwise` is missing: what is said to an answer that was not foreseen"
        if any(wrong["is"] == told["answer"] for wrong in told["wrong"]):
            yield "a wrong answer that is foreseen is the right one"
    elif asked.kind == "line" and not isinstance(told["answer"], int):
        yield f"the answer is {told['answer']!r}, which is no line"


def typed_numbers(file: str, section: Section, lesson: Lesson) -> Iterator[Problem]:
    """Numbers that stand in the prose as they were typed: nobody would notice if they became wrong."""
    source = lesson.programs[section.program]
    asked = section.checkpoint
    texts = [section.title, section.prose, section.after]
    if asked:
        texts += [asked.ask, asked.because, asked.otherwise, *(choice.reason for choice in asked.choices)]
        texts += [wrong.reason for wrong in asked.wrong]
        texts += [choice.text for choice in asked.choices if choice.when]
    for text in texts:
        plain = FORMULA.sub("", LINK.sub("]", bare(text)))
        for number in NUMBER.findall(CODE.sub("", plain)):
            yield Problem(file, section.at_line, f"{number} is typed by hand; write {{= … }}, or use a word")
        for code in CODE.findall(plain):
            for number in NUMBER.findall(ARGUMENT.sub("", code)):
                if code not in source and number not in NUMBER.findall(source):
                    yield Problem(file, section.at_line, f"`{code}`: {number} is not in {section.program}")


def of_twins(lesson: Lesson) -> Iterator[Problem]:
    """Where two languages do not tell the same lesson."""
    first = lesson.texts.get("en")
    for text in lesson.texts.values():
        if first is None or text is first:
            continue
        file = f"{lesson.folder.name}/{text.file.name}"
        if len(text.sections) != len(first.sections):
            yield Problem(file, 1, f"it has {len(text.sections)} sections, en.md has {len(first.sections)}")
            continue
        for mine, english in zip(text.sections, first.sections):
            if skeleton(mine) != skeleton(english):
                yield Problem(
                    file, mine.at_line, f"“{mine.title}” is not built as “{english.title}” in en.md"
                )


def skeleton(section: Section) -> tuple:
    """Return what a section must share with its twin."""
    asked = section.checkpoint
    return (
        section.show,
        section.program,
        section.level,
        asked
        and (
            *(asked.id, asked.kind, asked.reveal, asked.answer),
            tuple(choice.when for choice in asked.choices),
            tuple(choice.when for choice in asked.wrong),
        ),
    )


def length(text: Text) -> float:
    """Return how many minutes a text takes: reading, and half a minute for each question."""
    prose = " ".join(
        part
        for section in text.sections
        for part in (section.prose, section.after, section.checkpoint.because if section.checkpoint else "")
    )
    signs = len(CHINESE.findall(prose))
    latin = len(re.findall(r"[A-Za-z0-9_]+", CODE.sub("x", bare(prose))))
    questions = sum(section.checkpoint is not None for section in text.sections)
    reading = signs / SIGNS_A_MINUTE + latin / WORDS_A_MINUTE
    return reading + questions * MINUTES_A_QUESTION
