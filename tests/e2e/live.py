"""Open pages of a running site, each in a browser context of its own."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page

from tests.support.streaming.client import Scene

AXE = Axe()
# Tell a page that its tab is hidden, or that it is visible again.
SET_HIDDEN = """hidden => {
    Object.defineProperty(document, "hidden", { get: () => hidden, configurable: true })
    document.dispatchEvent(new Event("visibilitychange"))
}"""


class LivePages:
    """Opens pages. None may have an error or violate the security policy."""

    def __init__(self, browser: Browser, scene: Scene, init_script: str) -> None:
        self._browser = browser
        self._scene = scene
        self._init_script = init_script
        self._contexts: list[BrowserContext] = []
        self._errors: list[str] = []

    def open(self, path: str, uid: int | None, **options: Any) -> Page:
        """Open a page as a member, or as a visitor if `uid` is None."""
        base = f"http://127.0.0.1:{self._scene.site.config.port}"
        context = self._browser.new_context(base_url=base, service_workers="block", **options)
        self._contexts.append(context)
        if uid is not None:
            cookie = self._scene.sign_in(uid)["Cookie"].partition("linnet=")[2]
            context.add_cookies([{"name": "linnet", "value": cookie, "url": base}])
        page = context.new_page()
        page.on("pageerror", lambda error: self._errors.append(str(error)))
        page.on("console", self._on_console)
        page.add_init_script(self._init_script)
        page.goto(path)
        return page

    def close(self) -> None:
        """Close all pages and check that none had an error."""
        for context in self._contexts:
            context.close()
        assert self._errors == []

    def _on_console(self, message: ConsoleMessage) -> None:
        if "Security" in message.text:
            self._errors.append(message.text)


def accessibility_problems(page: Page) -> list[str]:
    """Return what axe-core finds in both colour schemes that is more than minor.

    Motion is reduced: colours on their way from one scheme to the other have no contrast.
    """
    problems = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        results = AXE.run(page, options={"resultTypes": ["violations"]})
        for violation in results.response["violations"]:
            if violation["impact"] != "minor":
                problems.append(violation["id"])
    return problems
