"""The command line of `gradstep`: serve, trace, export, verify. Imports what a command needs when it runs."""

from __future__ import annotations

import argparse
import asyncio
import errno
import os
import signal
import socket
import sys
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import uvicorn

    from app.settings import Settings

PROGRESS_SECONDS = 1.0
GRACEFUL_SECONDS = 3
STANDARD = "-"  # the file name for standard input
NO_ADDRESS = "{host} is no address of this machine; --host takes one, for example 127.0.0.1."
EXPORTS = {"html": "a page that plays offline", "json": "the trace", "csv": "values and gradients"}
CHOOSE_ANOTHER = "choose another with --port, for example: gradstep serve --port {}"


class Refused(Exception):
    """A command that cannot be carried out, with the sentence that says why."""


def main(arguments: list[str] | None = None) -> int:
    """Carry out a command; return its exit code."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if not arguments or (arguments[0].startswith("-") and arguments[0] not in ("-h", "--help", "--version")):
        arguments = ["serve", *arguments]
    options = parser().parse_args(arguments)
    try:
        return options.command(options)
    except Refused as refusal:
        print(f"gradstep: {refusal}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    top = argparse.ArgumentParser("gradstep", description="Step through the backward pass of PyTorch code.")
    top.add_argument("--version", action=Version, nargs=0, help="print the version and exit")
    commands = top.add_subparsers(required=True, metavar="COMMAND")

    serve_ = commands.add_parser("serve", help="serve the page (also without any command)")
    serve_.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    serve_.add_argument("--port", type=port, default=8000, help="port (default: %(default)s; 0: any)")
    serve_.add_argument("--open", action="store_true", help="open the page in the browser")
    serve_.add_argument(
        "--allow-partial-isolation",
        action="store_true",
        help="serve other machines although this system cannot isolate programs fully",
    )
    serve_.add_argument(
        "--lessons",
        metavar="DIR",
        type=folder,
        help="a folder of your own lessons; they stand before the course",
    )
    serve_.set_defaults(command=serve)

    trace_ = commands.add_parser("trace", help="run a program and write its trace")
    trace_.add_argument("file", metavar="FILE", help="the program; - is standard input")
    trace_.add_argument(
        "--seed", type=seed, default=0, help="where unseeded random numbers start (default: 0)"
    )
    trace_.add_argument("-o", "--output", metavar="OUT.json", type=Path, help="instead of standard output")
    trace_.set_defaults(command=trace)

    export_ = commands.add_parser("export", help="run programs and write files that play, or what happened")
    export_.add_argument("source", metavar="FILE", help="the program; - is standard input; or a folder")
    for kind, what in EXPORTS.items():
        export_.add_argument(
            f"--{kind}", metavar=f"OUT.{kind}", type=Path, help=f"{what}; a folder for a folder"
        )
    export_.add_argument("--lang", choices=("en", "zh"), default="en", help="of the page (default: en)")
    export_.add_argument("--level", choices=("story", "chain", "engine"), default="chain", help="of detail")
    export_.add_argument("--step", type=seed, default=0, help="rows that have been played when it opens")
    export_.add_argument("--seed", type=seed, default=0, help="where unseeded random numbers start")
    export_.set_defaults(command=export)

    verify_ = commands.add_parser("verify", help="derive every number of a trace again")
    verify_.add_argument("file", metavar="TRACE.json", help="the trace; - is standard input")
    verify_.set_defaults(command=verify)

    lessons_ = commands.add_parser("lessons", help="look after lessons: `lessons check [FOLDER …]`")
    lessons_.add_argument("what", choices=["check"], help="check: say what is wrong with them")
    lessons_.add_argument("folders", metavar="FOLDER", nargs="*", type=folder, help="without: the course")
    lessons_.set_defaults(command=check_lessons)
    return top


class Version(argparse.Action):
    """Prints the version; looks it up only then."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Print and exit."""
        from app.version import version_text

        print(f"gradstep {version_text()}")
        parser.exit()


def seed(text: str) -> int:
    """Return a seed."""
    number = int(text)
    if not 0 <= number < 2**32:
        raise argparse.ArgumentTypeError("a seed is a whole number from 0 to 4294967295")
    return number


def folder(text: str) -> Path:
    """Read the path of a folder."""
    if not Path(text).is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {text!r}")
    return Path(text)


def port(text: str) -> int:
    """Read a port number."""
    if not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: give a number from 0 to 65535")
    return int(text)


def read_settings() -> Settings:
    """Return the settings, or refuse a wrong one in its own words."""
    from app.settings import from_environment

    try:
        return from_environment()
    except ValueError as error:
        raise Refused(error) from None


# ----- gradstep serve -----------------------------------------------------------------------------
def serve(options: argparse.Namespace) -> int:
    """Serve the page until told to stop."""
    settings = read_settings()
    if options.lessons:
        settings = replace(settings, lessons=str(options.lessons))
    refuse_open_door(options)
    listening = listen(options.host, options.port)

    import uvicorn

    from app.main import create_app

    config = uvicorn.Config(
        create_app(settings),
        log_level="warning",
        timeout_graceful_shutdown=GRACEFUL_SECONDS,
        server_header=False,
        proxy_headers=settings.proxies != "none",
        forwarded_allow_ips=settings.proxies,
    )
    server = uvicorn.Server(config)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: setattr(server, "should_exit", True))
    with listening:
        try:
            asyncio.run(serve_and_tell(server, listening, options))
        except SystemExit:  # uvicorn's way to say that the application did not start
            raise Refused("the server could not start; the reason stands above.") from None
    return 0


async def serve_and_tell(
    server: uvicorn.Server, listening: socket.socket, options: argparse.Namespace
) -> None:
    """Serve; once requests are answered, print the address and open the browser if asked to."""
    address = address_of(options.host, listening)
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    while not server.started and not serving.done():
        await asyncio.sleep(0.02)
    if server.started and not serving.done():
        print(f"gradstep is ready at {address} (Ctrl-C stops it)", flush=True)
        if options.open:
            import webbrowser

            Thread(
                target=webbrowser.open, args=[address], daemon=True
            ).start()  # some only return when closed
    await serving


def refuse_open_door(options: argparse.Namespace) -> None:
    """Refuse to serve other machines without full isolation, unless that is asked for by name."""
    if options.allow_partial_isolation or is_loopback(options.host):
        return
    from app.sandbox.selftest import isolation

    if isolation() == "partial":
        raise Refused(
            f"this system cannot isolate programs fully, so {options.host} is refused: whoever reaches it "
            "could run programs here. Serve 127.0.0.1, or add --allow-partial-isolation if you accept that."
        )


def is_loopback(host: str) -> bool:
    """Say whether only this machine reaches an address."""
    import ipaddress

    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def listen(host: str, number: int) -> socket.socket:
    """Return a bound socket, or refuse in one sentence."""
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(
            host, number, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError:
        raise Refused(NO_ADDRESS.format(host=host)) from None
    bound = socket.socket(family, kind, protocol)
    bound.setsockopt(socket.SOL_SOCKET, *ALONE)
    try:
        bound.bind(where)
        bound.listen(0)  # only now does a port that somebody else listens on say so everywhere
    except OSError as error:
        bound.close()
        raise Refused(why_not(error, host, number)) from None
    return bound


# on Windows SO_REUSEADDR would let two servers share a port; elsewhere it only frees a port sooner
ALONE = (getattr(socket, "SO_EXCLUSIVEADDRUSE", 0), 1) if os.name == "nt" else (socket.SO_REUSEADDR, 1)


def why_not(error: OSError, host: str, number: int) -> str:
    """Return why a port cannot be had, and what to do."""
    other = number + 1 if number < 65535 else 8000
    match error.errno:
        case errno.EADDRINUSE:
            return f"port {number} is in use; {CHOOSE_ANOTHER.format(other)}"
        case errno.EACCES:
            return f"port {number} is not allowed here; {CHOOSE_ANOTHER.format(8000)}"
        case errno.EADDRNOTAVAIL:
            return NO_ADDRESS.format(host=host)
    return f"cannot listen on {host} port {number}: {error.strerror}"


def address_of(host: str, listening: socket.socket) -> str:
    """Return the address to type into a browser."""
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{name}:{listening.getsockname()[1]}"


# ----- gradstep trace -----------------------------------------------------------------------------
def trace(options: argparse.Namespace) -> int:
    """Run a program as the server would and write its trace; tell on standard error how it ended."""
    source, settings = read_source(options.file), read_settings()
    written = asyncio.run(run_once(source, settings, options.seed))
    save(options.output, written + b"\n")

    import orjson

    outcome = orjson.loads(written)["outcome"]
    if outcome["kind"] != "finished":
        print(f"gradstep: the program ended early ({outcome['kind']}): {outcome['message']}", file=sys.stderr)
    return 0


async def run_once(source: str, settings: Settings, seed: int) -> bytes:
    """Run one program in isolation; say on standard error that it is still running, each second."""
    from app.sandbox.pool import Pool, Unavailable

    pool = Pool(settings.limits, 1)
    try:
        await pool.start()
        running = asyncio.create_task(pool.run(source, {"seed": seed}))
        seconds = 0.0
        while not (await asyncio.wait([running], timeout=PROGRESS_SECONDS))[0]:
            seconds += PROGRESS_SECONDS
            print(f"gradstep: running for {seconds:.0f} s", file=sys.stderr, flush=True)
        return running.result()
    except Unavailable as error:
        raise Refused(f"the program could not be run: {error}") from None
    finally:
        await pool.close()


def read_source(name: str) -> str:
    """Return a program's text, or refuse in one sentence."""
    try:
        data = sys.stdin.buffer.read() if name == STANDARD else Path(name).read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        raise Refused(f"cannot read {name}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Refused(f"cannot read {name}: it is not UTF-8") from None


def save(file: Path | None, written: bytes) -> None:
    """Write a trace to a file or to standard output, or refuse in one sentence."""
    try:
        if file is not None:
            file.write_bytes(written)
        else:
            sys.stdout.buffer.write(written)
            sys.stdout.buffer.flush()
    except BrokenPipeError:  # the reader had enough; Python must not try again at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        raise Refused(f"cannot write {file}: {error.strerror}") from None


# ----- gradstep export ----------------------------------------------------------------------------
def export(options: argparse.Namespace) -> int:
    """Run one program or those of a folder, and write what is asked for."""
    outs = {kind: getattr(options, kind) for kind in EXPORTS if getattr(options, kind)}
    source = Path(options.source)
    files = sorted(source.glob("*.py")) if source.is_dir() else [options.source]
    if not outs or not files:
        raise Refused("say what to write: --html, --json or --csv" if files else f"no .py file in {source}")
    programs = {"program" if file == STANDARD else Path(file).stem: read_source(str(file)) for file in files}
    settings = read_settings()

    from app.export_command import write_all
    from app.sandbox.pool import Unavailable

    try:
        for out in outs.values() if source.is_dir() else ():
            out.mkdir(parents=True, exist_ok=True)
        asyncio.run(write_all(programs, outs, options, settings, save))
    except Unavailable as error:
        raise Refused(f"the program could not be run: {error}") from None
    except OSError as error:
        raise Refused(f"cannot make the folder {error.filename}: {error.strerror}") from None
    return 0


# ----- gradstep verify ----------------------------------------------------------------------------
def verify(options: argparse.Namespace) -> int:
    """Derive again what a trace claims; refuse it with the row and the claim that do not hold."""
    import orjson

    from engine.verify.check import check

    try:
        trace_ = orjson.loads(read_source(options.file))
    except orjson.JSONDecodeError as error:
        raise Refused(f"{options.file} is no JSON: {error}") from None
    report = check(trace_)
    if not report.holds:
        raise Refused(report.problems[0].text)
    print(f"checked: {report.checked} of {report.of} numbers re-derived")
    for gap, count in report.given.most_common():
        print(f"  taken as given: {count} ({gap.text})")
    return 0


# ----- gradstep lessons ---------------------------------------------------------------------------
def check_lessons(options: argparse.Namespace) -> int:
    """Run the programs of lessons; say in plain words what does not hold."""
    from app.lesson_command import check_folders

    count, problems = asyncio.run(check_folders(options.folders, read_settings()))
    for problem in problems:
        print(problem)
    if problems:
        raise Refused(f"lessons read: {count}; found wrong: {len(problems)}, told above.")
    if not count:
        raise Refused("no lesson is there; a lesson is a folder NN-some-words with en.md and snippet.py")
    print(f"lessons that hold against their runs: {count}")
    return 0
