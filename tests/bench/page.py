"""Figures of the page in headless Chromium: `python -m tests.bench.page`. Prints; asserts no time.

A step on a graph of 1,000 nodes, scrubbing at 200 steps a second, the first picture of a program of 20 lines,
a trace of 10,000 rows that is opened, memory over 1,000 seeks. Needs Chromium.
"""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Page, sync_playwright

from tests.browser.server import serving

ROUNDS = 9  # of the first picture
SEEKS = 1_000

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
    """Open a program's page and wait until its trace is there."""
    page.goto(f"{address}/sandbox?{urlencode({'code': code})}")
    page.wait_for_function(READY, timeout=60_000)
    page.wait_for_timeout(1_500)  # the check of the run has the processor


def told(name: str, times: list[float]) -> None:
    """Print median, 95th percentile and the most of some times."""
    ordered = sorted(times)
    p95 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
    print(f"{name:48} median {statistics.median(ordered):7.1f} ms, p95 {p95:7.1f}, most {ordered[-1]:7.1f}")


def heap(page: Page) -> float:
    """Return the bytes of JavaScript that are alive, in MB."""
    client = page.context.new_cdp_session(page)
    client.send("HeapProfiler.collectGarbage")
    return client.send("Runtime.getHeapUsage")["usedSize"] / 1e6


def measured(page: Page, address: str) -> None:
    """Print all figures."""
    opened(page, address, THOUSAND)
    told("a step, 1,000 operations in groups", page.evaluate(STEPS, 300))
    scrubbed = page.evaluate(SCRUB, 4)
    tasks, sent = scrubbed["tasks"], scrubbed["sent"]
    print(f"scrubbing: {sent} steps in 4 s, {len(tasks)} long tasks, longest {max(tasks, default=0):.0f} ms")
    before = heap(page)
    page.evaluate(SEEK, SEEKS)
    middle = heap(page)
    page.evaluate(SEEK, SEEKS)
    print(f"memory: {before:.1f} MB, after {SEEKS} seeks {middle:.1f}, after {2 * SEEKS} {heap(page):.1f}")
    page.select_option("[data-testid=fold]", "none")
    page.wait_for_function("() => !document.querySelector('[data-testid=fold]').ariaBusy", timeout=30_000)
    told("a step, 1,000 operations, not grouped", page.evaluate(STEPS, 300))

    opened(page, address, TWENTY)
    firsts = [page.evaluate(FIRST) for _ in range(ROUNDS)]
    told("first picture of 20 lines, from the click", [ms for ms, _ in firsts])
    told("  of which the server", [server for _, server in firsts])

    opened(page, address, LONG)
    rows = page.evaluate("() => document.querySelector('[data-testid=player]').dataset.steps")
    opens = [page.evaluate(FIRST) for _ in range(3)]
    told(f"a trace of {rows} rows, from the answer on", [ms - server for ms, server in opens])


def main() -> None:
    """Serve, open a browser, measure."""
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic"]
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder) / "server.log") as address:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium(), args=flags)
            measured(browser.new_page(viewport={"width": 1440, "height": 900}), address)
            browser.close()


def chromium() -> str | None:
    """Return the system's Chromium, None for Playwright's own."""
    found = [path for path in map(Path, ("/usr/bin/chromium", "/usr/bin/google-chrome")) if path.exists()]
    return str(found[0]) if found else None


if __name__ == "__main__":
    main()
