"""Every example through the real pipeline: it ends as its summary says, and all of its graph has a place."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from app.examples import EXAMPLES, ON_HOME_PAGE, find
from app.i18n import LANGUAGES
from app.main import create_app
from app.settings import Settings

ENDINGS = {"backward-twice": "error"}
OUTPUT = {
    "squares": ["tensor([2., 4.])\n"],
    "two-paths": ["tensor([1.5000, 5.0000]) tensor([ 1., -8.])\n"],
    "accumulate": ["0 tensor(20.)\n", "1 tensor(40.)\n", "2 tensor(60.)\n", "tensor(5.)\n"],
    "backward-twice": [],
}
SCENES = {"squares": 1, "two-paths": 1, "accumulate": 4, "training": 3, "backward-twice": 1}
LAYOUTS = {"accumulate": 2}
SLUGS = [example.slug for example in EXAMPLES]


@pytest.fixture(scope="module")
def server() -> Iterator[TestClient]:
    """The application as it is served."""
    with TestClient(create_app(Settings())) as running:
        yield running


@pytest.fixture(scope="module")
def answers(server: TestClient) -> dict[str, dict]:
    """The answer to each example."""
    return {one.slug: server.post("/api/traces", json={"code": one.code}).json() for one in EXAMPLES}


@pytest.mark.parametrize("slug", SLUGS)
def test_an_example_ends_as_it_should(answers, slug):
    assert answers[slug]["trace"]["outcome"]["kind"] == ENDINGS.get(slug, "finished")


@pytest.mark.parametrize("slug", OUTPUT)
def test_an_example_prints_what_pytorch_prints(answers, slug):
    rows = answers[slug]["trace"]["rows"]
    assert [row["text"] for row in rows if row["kind"] == "printed"] == OUTPUT[slug]


@pytest.mark.parametrize("slug", SLUGS)
def test_every_leaf_and_every_node_has_a_place(answers, slug):
    trace, drawing = answers[slug]["trace"], answers[slug]["drawing"]
    placed = {id for scene in drawing["scenes"] for id in scene["place"]}
    leaves = {t for t, tensor in trace["tensors"].items() if tensor["kind"] == "leaf"}
    assert leaves | set(trace["nodes"]) <= placed


@pytest.mark.parametrize("slug", SLUGS)
def test_every_gradient_has_an_edge_to_travel_along(answers, slug):
    trace, drawing = answers[slug]["trace"], answers[slug]["drawing"]
    scenes = drawing["scenes"]
    shown = dict(map(tuple, drawing["scene_at"]))
    current = 0
    for k, row in enumerate(trace["rows"]):
        current = shown.get(k, current)
        if row["kind"] != "edge_flowed":
            continue
        place, layout = scenes[current]["place"], drawing["layouts"][scenes[current]["layout"]]
        ends = {(edge["from"], edge["to"], edge["slot"]) for edge in layout["edges"].values()}
        assert (place[row["target"]], place[row["node"]], row["slot"]) in ends


@pytest.mark.parametrize("slug", SLUGS)
def test_iterations_are_drawn_alike(answers, slug):
    drawing = answers[slug]["drawing"]
    assert len(drawing["scenes"]) == SCENES[slug]
    assert len(drawing["layouts"]) == LAYOUTS.get(slug, 1)


def test_the_home_page_offers_three():
    assert len(ON_HOME_PAGE) == 3 and all(find(slug) for slug in ON_HOME_PAGE)


def test_every_example_is_told_in_every_language():
    for example in EXAMPLES:
        assert set(example.title) == set(example.summary) == set(LANGUAGES)
