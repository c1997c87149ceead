"""Figures of the page in headless Chromium: `python -m tests.bench.page [steps flat first long memory]`.

A step on a graph of 1,000 nodes, scrubbing at 200 steps a second, the first picture of a program of 20 lines,
a trace of 10,000 rows that is opened, memory over 1,000 seeks. Prints each as it comes, asserts none; needs
Chromium. On a busy machine the processor's figures are to be trusted, not the clock's.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import CDPSession, Page, sync_playwright
from playwright.sync_api import Error as PlaywrightError

from tests.browser.server import serving

ROUNDS = 9  # of the first picture
OPENS = 5  # of a long trace
SEEKS = 1_000
COUNT = 150  # steps
WAIT = 60_000  # ms that any one thing may take
SPENT = ("Script", "RecalcStyle", "Layout", "Task")
TASKS = ("RunTask", "ThreadControllerImpl::RunTask")

# 1,000 operations in ten functions; grouped, and as they are
THOUSAND = """import torch
w = torch.tensor(1.01, requires_grad=True)
def part(x):
    for i in range(50):
        x = x * w + 0.001
    return x
y = torch.tensor(1.0)
for step in range(10):
    y = part(y)
y.backward()
"""
TWENTY = """import torch
import torch.nn as nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
loss_function = nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
inputs = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
targets = torch.tensor([[1.0], [2.0]])
losses = []
for epoch in range(2):
    outputs = model(inputs)
    loss = loss_function(outputs, targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses)
best = min(losses)
print(best)
print("done")
"""
LONG = THOUSAND.replace("range(10)", "range(16)")

STEPS = """
async (count) => {
  const scrubber = document.querySelector("[data-testid=scrubber]");
  const from = Math.floor(scrubber.max / 3);
  const times = [];
  for (let i = 0; i < count; i += 1) {
    const began = performance.now();
    scrubber.value = from + i;
    scrubber.dispatchEvent(new Event("input", {bubbles: true}));
    times.push(performance.now() - began);
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  }
  return times;
}
"""
SCRUB = """
async (seconds) => {
  const scrubber = document.querySelector("[data-testid=scrubber]");
  const tasks = [];
  const watch = new PerformanceObserver((list) => tasks.push(...list.getEntries().map((e) => e.duration)));
  watch.observe({entryTypes: ["longtask"]});
  const began = performance.now();
  let sent = 0;
  await new Promise((done) => {
    const timer = setInterval(() => {
      const due = Math.floor((performance.now() - began) / 5);
      for (; sent < due; sent += 1) {
        scrubber.value = (sent * 3) % scrubber.max;
        scrubber.dispatchEvent(new Event("input", {bubbles: true}));
      }
      if (performance.now() - began > seconds * 1000) { clearInterval(timer); done(); }
    }, 5);
  });
  await new Promise((done) => setTimeout(done, 100));
  return {sent, tasks};
}
"""
FIRST = """
async () => {
  const player = document.querySelector("[data-testid=player]");
  player.dataset.steps = "0";
  const began = performance.now();
  document.getElementById("run").click();
  await new Promise((done) => {
    const watch = new MutationObserver(() => {
      if (player.dataset.steps === "0") return;
      watch.disconnect();
      done();
    });
    watch.observe(player, {attributes: true, attributeFilter: ["data-steps"]});
  });
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const ms = performance.now() - began;
  const entry = performance.getEntriesByType("resource").findLast((e) => e.name.endsWith("/api/traces"));
  return [ms, entry.responseStart - entry.requestStart];
}
"""
SEEK = """
async (count) => {
  const scrubber = document.querySelector("[data-testid=scrubber]");
  for (let i = 0; i < count; i += 1) {
    scrubber.value = i % 2 ? Math.floor(scrubber.max / 4) : Math.floor((scrubber.max * 3) / 4);
    scrubber.dispatchEvent(new Event("input", {bubbles: true}));
    await new Promise((done) => requestAnimationFrame(done));
  }
}
"""
READY = "() => Number(document.querySelector('[data-testid=player]').dataset.steps) > 0"


def opened(page: Page, address: str, code: str) -> None:
    """Open a program's page and wait until its trace is there and has been checked."""
    page.goto(f"{address}/sandbox?{urlencode({'code': code})}")
    page.wait_for_function(READY, timeout=WAIT)
    page.wait_for_timeout(1_500)  # the check of the run has the processor


def told(name: str, times: list[float], unit: str = "ms") -> None:
    """Print median, 95th percentile and the most of some times."""
    ordered = sorted(times)
    p95 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
    median = statistics.median(ordered)
    print(f"{name:52} median {median:7.1f} {unit}, p95 {p95:7.1f}, most {ordered[-1]:7.1f}", flush=True)


def heap(page: Page) -> float:
    """Return the bytes of JavaScript that are alive, in MB."""
    client = page.context.new_cdp_session(page)
    client.send("HeapProfiler.collectGarbage")
    return client.send("Runtime.getHeapUsage")["usedSize"] / 1e6


def cpu(client: CDPSession) -> dict[str, float]:
    """Return the milliseconds of processor time that the page's main thread has spent, by what on."""
    found = {each["name"]: each["value"] * 1e3 for each in client.send("Performance.getMetrics")["metrics"]}
    return {name: found[f"{name}Duration"] for name in SPENT}


@contextmanager
def spending(page: Page, count: int, what: str) -> Iterator[None]:
    """Print what the page's main thread spends of the processor, for each of `count` of these."""
    client = page.context.new_cdp_session(page)
    client.send("Performance.enable", {"timeDomain": "threadTicks"})
    before = cpu(client)
    yield
    after = cpu(client)
    said = ", ".join(f"{name} {(after[name] - before[name]) / count:.2f}" for name in SPENT)
    print(f"  of the processor, ms for {what}: {said}", flush=True)
    client.detach()


def steps(page: Page, name: str) -> None:
    """Print what one step costs: by the clock, and of the processor."""
    page.evaluate(STEPS, 20)
    with spending(page, COUNT, "a step"):
        told(f"a step, {name}, by the clock", page.evaluate(STEPS, COUNT))


def long_tasks(trace: bytes) -> list[float]:
    """Return the processor's milliseconds of each task in a recorded trace, of pages' main threads."""
    events = json.loads(trace)["traceEvents"]
    mains = {
        (each["pid"], each["tid"])
        for each in events
        if each.get("name") == "thread_name" and each["args"]["name"] == "CrRendererMain"
    }
    return [
        each.get("tdur", each["dur"]) / 1e3
        for each in events
        if each.get("name") in TASKS and each.get("ph") == "X" and (each["pid"], each["tid"]) in mains
    ]


def scrubbing(page: Page, seconds: int = 3) -> None:
    """Print how long the tasks are while somebody scrubs at 200 steps a second."""
    page.evaluate(SCRUB, 1)
    browser = page.context.browser
    browser.start_tracing(page=page, categories=["toplevel", "disabled-by-default-devtools.timeline"])
    scrubbed = page.evaluate(SCRUB, seconds)
    tasks = long_tasks(browser.stop_tracing())
    clock, sent = scrubbed["tasks"], scrubbed["sent"]
    print(
        f"scrubbing, {sent} steps in {seconds} s: {len(clock)} tasks over 50 ms by the clock, longest "
        f"{max(clock, default=0):.0f}; of the processor {sum(ms > 50 for ms in tasks)}, "
        f"longest {max(tasks, default=0):.0f}",
        flush=True,
    )


def memory(page: Page) -> None:
    """Print what is alive before and after going back and forth."""
    page.evaluate(SEEK, 100)
    before = heap(page)
    page.evaluate(SEEK, SEEKS)
    middle = heap(page)
    page.evaluate(SEEK, SEEKS)
    print(f"alive: {before:.1f} MB, after {SEEKS} seeks {middle:.1f}, after {2 * SEEKS} {heap(page):.1f}")


def thousand(page: Page, address: str) -> None:
    """A step of a graph of 1,000 operations, and scrubbing in it."""
    opened(page, address, THOUSAND)
    steps(page, "1,000 operations in groups")
    scrubbing(page)


def flat(page: Page, address: str) -> None:
    """The same graph, nothing in it folded."""
    opened(page, address, THOUSAND)
    page.select_option("[data-testid=fold]", "none")
    page.wait_for_timeout(4_000)
    steps(page, "1,000 operations, not grouped")


def first(page: Page, address: str) -> None:
    """The first picture of a program of 20 lines."""
    opened(page, address, TWENTY)
    with spending(page, ROUNDS, "a picture, the server's apart"):
        firsts = [page.evaluate(FIRST) for _ in range(ROUNDS)]
        told("first picture of 20 lines, from the click", [ms for ms, _ in firsts])
        told("  of which the server", [server for _, server in firsts])


def long(page: Page, address: str) -> None:
    """A long trace that is opened."""
    opened(page, address, LONG)
    rows = page.evaluate("() => document.querySelector('[data-testid=player]').dataset.steps")
    with spending(page, OPENS, "an opening"):
        opens = [page.evaluate(FIRST) for _ in range(OPENS)]
        told(f"a trace of {rows} rows, from the answer on", [ms - server for ms, server in opens])


def alive(page: Page, address: str) -> None:
    """Memory over many seeks."""
    opened(page, address, THOUSAND)
    memory(page)


FIGURES = {"steps": thousand, "flat": flat, "first": first, "long": long, "memory": alive}


def main() -> None:
    """Serve, open a browser, measure."""
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic"]
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder) / "server.log") as address:
        with sync_playwright() as playwright:
            for name in sys.argv[1:] or FIGURES:
                browser = playwright.chromium.launch(executable_path=chromium(), args=flags)
                page = browser.new_page(viewport={"width": 1440, "height": 900})
                page.set_default_timeout(WAIT)
                try:
                    FIGURES[name](page, address)
                except PlaywrightError as error:
                    print(f"{name}: not measured, {str(error).splitlines()[0]}", flush=True)
                browser.close()


def chromium() -> str | None:
    """Return the system's Chromium, None for Playwright's own."""
    found = [path for path in map(Path, ("/usr/bin/chromium", "/usr/bin/google-chrome")) if path.exists()]
    return str(found[0]) if found else None


if __name__ == "__main__":
    main()
