"""`gradstep export`: files for one program, a site for a folder of them."""

from __future__ import annotations

import json

import pytest

from app import cli
from tests.web.test_export import MOST, Islands

PROGRAM = "import torch\nx = torch.tensor(2.0, requires_grad=True)\n(x * x).backward()\n"


@pytest.fixture
def program(tmp_path):
    """A file with a small program."""
    file = tmp_path / "square.py"
    file.write_text(PROGRAM, encoding="utf-8")
    return file


def test_one_program_becomes_a_page_a_trace_and_a_table(tmp_path, program, capsys):
    html, trace, table = (tmp_path / f"out.{kind}" for kind in ("html", "json", "csv"))
    outs = ["--html", str(html), "--json", str(trace), "--csv", str(table)]
    assert cli.main(["export", str(program), *outs, "--lang", "zh", "--level", "story", "--step", "2"]) == 0
    assert capsys.readouterr() == ("", "")
    islands = Islands(html.read_text(encoding="utf-8"))
    assert html.stat().st_size < MOST
    boot = json.loads(islands.island("boot"))
    assert boot == {"page": "taken", "level": "story", "step": 2, "name": "square"}
    assert json.loads(islands.island("run"))["trace"] == json.loads(trace.read_bytes())
    assert "grad_accumulated,x,grad,float32,[],4.0" in table.read_text(encoding="utf-8-sig")
    assert cli.main(["verify", str(trace)]) == 0


def test_a_folder_becomes_a_site_whose_index_leads_to_every_page(tmp_path, capsys):
    source, site = tmp_path / "snippets", tmp_path / "deep" / "site"
    source.mkdir()
    for name in ("index", "a b & <c>", "fails"):
        (source / f"{name}.py").write_text("1 / 0\n" if name == "fails" else PROGRAM, encoding="utf-8")
    assert cli.main(["export", str(source), "--html", str(site)]) == 0
    assert "fails ended early (error): division by zero" in capsys.readouterr().err
    names = sorted(file.name for file in site.iterdir())
    assert names == ["a b & <c>.html", "fails.html", "index-program.html", "index.html"]
    index = (site / "index.html").read_text(encoding="utf-8")
    links = [link for link in Islands(index).addresses if link.startswith("./")]
    assert links == ["./a%20b%20%26%20%3Cc%3E.html", "./fails.html", "./index-program.html"]
    assert "a b &amp; &lt;c&gt;" in index and "<c>" not in index


def test_what_is_missing_is_told_in_one_sentence(tmp_path, program, capsys):
    assert cli.main(["export", str(program)]) == 1
    assert "--html, --json or --csv" in capsys.readouterr().err
    (tmp_path / "empty").mkdir()
    assert cli.main(["export", str(tmp_path / "empty"), "--html", str(tmp_path / "site")]) == 1
    assert "no .py file" in capsys.readouterr().err
    assert cli.main(["export", str(program), "--html", str(tmp_path / "no" / "out.html")]) == 1
    assert "cannot write" in capsys.readouterr().err
