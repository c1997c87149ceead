"""The page as a test sees it: what the player's documented attributes say, and what a person can press."""

from __future__ import annotations

import difflib
import re
from urllib.parse import urlencode

from playwright.sync_api import Locator, Page

# A picture of everything the player shows: tags, attributes, texts and the state of its controls.
# Left out is what nobody sees: hidden elements (kept for the next time they are needed), texts without a
# letter, and the empty style attributes that taking a screenshot leaves behind. Left out too is CodeMirror's
# own DOM, which draws what is in view.
PICTURE = """
root => {
  const UNSEEN = ".cm-editor, [hidden]";
  const isEmptyText = (node) => node.tagName === "text" && !node.textContent;
  const lines = [];
  const walk = (node, depth) => {
    if (node.nodeType === Node.TEXT_NODE) {
      if (node.data.trim()) lines.push("  ".repeat(depth) + JSON.stringify(node.data));
      return;
    }
    if (node.nodeType !== Node.ELEMENT_NODE || node.matches(UNSEEN) || isEmptyText(node)) return;
    const names = [...node.getAttributeNames()].sort();
    const attribute = (name) => [name, node.getAttribute(name)];
    const parts = names.map(attribute).filter(([name, value]) => name !== "style" || value);
    if (node.matches("input, select")) parts.push(["=value", node.value], ["=checked", node.checked]);
    const said = parts.map(([name, value]) => ` ${name}=${JSON.stringify(value)}`).join("");
    lines.push("  ".repeat(depth) + node.tagName.toLowerCase() + said);
    node.childNodes.forEach((child) => walk(child, depth + 1));
  };
  root.normalize();
  walk(root, 0);
  return lines.join("\\n");
}
"""
TWO_FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))"
SEEK = """
(scrubber, k) => {
  scrubber.value = k;
  scrubber.dispatchEvent(new Event("input", {bubbles: true}));
  scrubber.dispatchEvent(new Event("change", {bubbles: true}));
}
"""
ANSWERED = """
() => {
  const player = document.querySelector("[data-testid=player]");
  if (!player || "busy" in player.dataset) return false;
  const refused = player.querySelector("#notice:not([hidden])");
  return refused || (player.dataset.mode === "play" && Number(player.dataset.steps) > 0);
}
"""
AT_THE_END = """
() => {
  const data = document.querySelector("[data-testid=player]").dataset;
  return data.step === data.steps && document.querySelector("[data-testid=play]").dataset.playing !== "true";
}
"""
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?", re.IGNORECASE)


class Player:
    """A page with a player on it."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address
        self.root = page.get_by_test_id("player")

    def visit(self, code: str) -> Player:
        """Open the sandbox with this code in its address and wait until it has run."""
        self.page.goto(f"{self.address}/sandbox?{urlencode({'code': code})}")
        return self.wait_for_trace()

    def wait_for_trace(self) -> Player:
        """Wait until a trace is there to be stepped through."""
        self.page.wait_for_function(ANSWERED)
        notice = self.page.locator("#notice")
        assert not notice.is_visible(), f"instead of a trace: {notice.text_content()}"
        return self.settle()

    def wait_for_end(self) -> Player:
        """Wait until playing has come to the last row and stopped."""
        self.page.wait_for_function(AT_THE_END)
        return self.settle()

    def settle(self) -> Player:
        """Wait until what was asked for has been drawn."""
        self.page.evaluate(TWO_FRAMES)
        return self

    @property
    def step(self) -> int:
        """Where the player stands: 0 before the first row."""
        return int(self.root.get_attribute("data-step"))

    @property
    def steps(self) -> int:
        """How many rows there are."""
        return int(self.root.get_attribute("data-steps"))

    @property
    def output(self) -> str:
        """What the program has printed so far."""
        return self.page.get_by_test_id("output").text_content()

    @property
    def sentence(self) -> str:
        """The sentence of the present step."""
        return self.page.get_by_test_id("sentence").text_content()

    def leaf(self, name: str) -> Locator:
        """The drawing of a leaf, by the name of its variable."""
        return self.page.locator(f'[data-var="{name}"]')

    def click(self, control: str) -> Player:
        """Press one of the player's controls: first, prev, play, next, last, run, edit."""
        self.page.get_by_test_id(control).click()
        return self.settle()

    def press(self, key: str, times: int = 1) -> Player:
        """Press a key, as playwright names it."""
        for _ in range(times):
            self.page.keyboard.press(key)
        return self.settle()

    def seek(self, k: int) -> Player:
        """Drag the scrubber to row k (0 = before the first)."""
        self.page.get_by_test_id("scrubber").evaluate(SEEK, k)
        return self.settle()

    def edit(self, code: str) -> Player:
        """Replace the text in the editor, as pasting does."""
        field = self.page.locator("[data-slot=editor] .cm-content")
        field.click()
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.insert_text(code)
        return self.settle()

    def picture(self) -> str:
        """Return all that the player shows, in a form that can be compared."""
        return self.root.evaluate(PICTURE)

    def walk(self, key: str, goal: int) -> list[int]:
        """Press a key until the goal is reached; return every place it stopped at."""
        stops = [self.step]
        while stops[-1] != goal:
            stops.append(self.press(key).step)
            assert stops[-1] != stops[-2], f"{key} does not move on from step {stops[-1]} of {self.steps}"
        return stops


def difference(expected: str, shown: str) -> str:
    """Return the first lines in which two pictures differ; empty if they are the same."""
    lines = difflib.unified_diff(
        expected.splitlines(), shown.splitlines(), "expected", "shown", n=1, lineterm=""
    )
    return "\n".join(list(lines)[:30])


def numbers(text: str) -> list[float]:
    """Read the numbers in a text such as "[1.5, 5.]"."""
    return [float(found) for found in NUMBER.findall(text)]
