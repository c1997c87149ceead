"""Packages that are not here, as far as small programs call them: they say once what they would have done."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from app.sandbox.child.stand_ins import graphs, pictures, plotting, progress

Names = Mapping[str, Any]


def modules(make: Callable[[str, Names], Any]) -> tuple[dict[str, Any], Callable[[], None]]:
    """Return the stand-ins by module name, made by `make(title, names)`, and what to do when the run ends."""
    figures = plotting.Figures()
    found: dict[str, Any] = {}
    for title, names in (
        ("matplotlib.pyplot", figures.names()),
        ("torchvision.datasets", pictures.datasets()),
        ("torchvision.transforms", pictures.transforms()),
        ("tqdm.auto", progress.names()),
        ("tqdm.notebook", progress.names()),
        ("graphviz", graphs.graphviz()),
        ("torchviz", graphs.torchviz()),
    ):
        found[title] = make(title, names)
    found["matplotlib"] = make("matplotlib", {"pyplot": found["matplotlib.pyplot"], "use": lambda name: None})
    parts = {name: found[f"torchvision.{name}"] for name in ("datasets", "transforms")}
    found["torchvision"] = make("torchvision", parts)
    tqdm = {name: found[f"tqdm.{name}"] for name in ("auto", "notebook")}
    found["tqdm"] = make("tqdm", {**progress.names(), **tqdm})
    return found, figures.show
