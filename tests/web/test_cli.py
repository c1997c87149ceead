"""The command line: addresses, ports, files, exit codes."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from app import cli

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "app"]


def run(*arguments: str, **options: object) -> subprocess.CompletedProcess:
    """Run a command to its end."""
    return subprocess.run([*COMMAND, *arguments], cwd=ROOT, capture_output=True, timeout=60, **options)


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that somebody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_a_busy_port_is_told_in_one_sentence_that_offers_another(taken, capsys):
    assert cli.main(["serve", "--port", str(taken)]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert f"port {taken} is in use" in line and f"--port {taken + 1}" in line


def test_without_a_command_the_page_is_served(taken, capsys):
    assert cli.main(["--port", str(taken)]) == 1
    assert f"port {taken} is in use" in capsys.readouterr().err


def test_a_host_that_is_not_here_is_told(capsys):
    assert cli.main(["serve", "--host", "192.0.2.1", "--allow-partial-isolation", "--port", "0"]) == 1
    assert "192.0.2.1 is no address of this machine" in capsys.readouterr().err


def test_a_wrong_setting_is_told(monkeypatch, capsys):
    monkeypatch.setenv("GRADSTEP_WORKERS", "many")
    assert cli.main(["serve", "--port", "0"]) == 1
    assert "GRADSTEP_WORKERS" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["-1", "65536", "eight", ""])
def test_a_port_that_is_none_is_told(text, capsys):
    with pytest.raises(SystemExit) as stopped:
        cli.main(["serve", f"--port={text}"])
    assert stopped.value.code == 2
    assert "from 0 to 65535" in capsys.readouterr().err


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_the_loopback_address_is_served_whatever_the_isolation(host):
    assert cli.is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "example.org", ""])
def test_other_addresses_are_not_the_loopback(host):
    assert not cli.is_loopback(host)


@pytest.mark.parametrize(("isolation", "allowed"), [("partial", False), ("full", True)])
def test_other_machines_are_served_only_with_full_isolation(isolation, allowed, monkeypatch):
    monkeypatch.setattr("app.sandbox.selftest.isolation", lambda: isolation)
    options = cli.parser().parse_args(["serve", "--host", "0.0.0.0"])
    if allowed:
        cli.refuse_open_door(options)
    else:
        with pytest.raises(cli.Refused, match="--allow-partial-isolation"):
            cli.refuse_open_door(options)


def test_partial_isolation_can_be_accepted_by_name(monkeypatch):
    monkeypatch.setattr("app.sandbox.selftest.isolation", lambda: "partial")
    cli.refuse_open_door(cli.parser().parse_args(["serve", "--host", "0.0.0.0", "--allow-partial-isolation"]))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_server_prints_its_address_answers_and_stops_cleanly(number):
    process = subprocess.Popen(
        [*COMMAND, "serve", "--port", "0"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        address = next(
            word for word in process.stdout.readline().split() if word.startswith("http://127.0.0.1:")
        )
        with urllib.request.urlopen(f"{address}/healthz", timeout=20) as answer:
            assert json.load(answer) == {"status": "ok"}
        process.send_signal(number)
        assert process.wait(20) == 0
        assert process.stderr.read() == ""
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        process.stderr.close()


def test_help_and_version_come_at_once():
    began = time.monotonic()
    assert b"serve" in run("--help").stdout
    assert run("--version").stdout.startswith(b"gradstep ")
    assert time.monotonic() - began < 5


def test_the_command_line_imports_no_web_code():
    code = "import sys, app.cli; print({'fastapi', 'uvicorn', 'numpy', 'jinja2'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "set()"


def test_a_program_is_traced_to_standard_output(tmp_path):
    file = tmp_path / "program.py"
    file.write_text("import torch\nprint(1 + 1)\n", encoding="utf-8")
    done = run("trace", str(file))
    assert (done.returncode, done.stderr) == (0, b"")
    trace = json.loads(done.stdout)
    assert trace["outcome"] == {"kind": "finished"}
    assert [row["text"] for row in trace["rows"] if row["kind"] == "printed"] == ["2\n"]


def test_a_program_from_standard_input_is_traced_to_a_file(tmp_path):
    out = tmp_path / "out.json"
    done = run("trace", "-", "-o", str(out), input="# grüße\nprint('好')\n".encode())
    assert (done.returncode, done.stdout) == (0, b"")
    assert json.loads(out.read_bytes())["source"] == "# grüße\nprint('好')\n"


def test_a_program_that_fails_is_a_trace_all_the_same():
    done = run("trace", "-", input=b"1 / 0\n")
    assert done.returncode == 0
    assert json.loads(done.stdout)["outcome"]["kind"] == "error"
    assert b"division by zero" in done.stderr


def test_progress_is_told_when_it_takes_longer_than_a_second(monkeypatch):
    monkeypatch.setenv("GRADSTEP_LIMIT_WALL", "2.5")
    done = run("trace", "-", input=b"while True: pass\n")
    assert b"running for 1 s" in done.stderr and b"running for 2 s" in done.stderr
    assert json.loads(done.stdout)["outcome"]["kind"] == "limit"


def test_a_reader_that_leaves_early_is_no_fault():
    command = f"{sys.executable} -m app trace - | head -c 20"
    options = {"cwd": ROOT, "capture_output": True, "timeout": 60, "shell": True}
    done = subprocess.run(command, input=b"print('x' * 60_000)\nprint('y' * 5_000)\n", **options)
    assert done.stdout == b'{"version":1,"engine'
    assert b"Traceback" not in done.stderr and b"BrokenPipe" not in done.stderr


def test_a_place_that_cannot_be_written_is_told(tmp_path, capsys):
    program = tmp_path / "program.py"
    program.write_text("x = 1\n", encoding="utf-8")
    assert cli.main(["trace", str(program), "-o", str(tmp_path / "no" / "out.json")]) == 1
    assert "cannot write" in capsys.readouterr().err


@pytest.mark.parametrize(("name", "content"), [("missing.py", None), ("binary.py", b"\xff\xfe\x00")])
def test_a_file_that_cannot_be_read_is_told(tmp_path, capsys, name, content):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    assert cli.main(["trace", str(tmp_path / name)]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert name in line
