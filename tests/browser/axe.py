"""What axe-core finds on a page. It is installed with the tests (axe-playwright-python), never committed."""

from __future__ import annotations

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

OPTIONS = {"resultTypes": ["violations"]}
AXE = Axe()


def violations(page: Page) -> list[str]:
    """Return one line for each element that breaks a rule: the rule, the element, what is to be done."""
    found = AXE.run(page, options=OPTIONS).response["violations"]
    return [
        f"{rule['id']}: {' '.join(map(str, node['target']))} {node['html'][:160]} — {node['failureSummary']}"
        for rule in found
        for node in rule["nodes"]
    ]
