"""Open pages of a running site, each in a browser context of its own."""

from collections.abc import Sequence
from typing import Any

from playwright.sync_api import ConsoleMessage, Page

from tests.e2e.contexts import Contexts
from tests.e2e.measurements import violations
from tests.support.streaming.client import Scene

# Tell a page that its tab is hidden, or that it is visible again.
SET_HIDDEN = """hidden => {
    Object.defineProperty(document, "hidden", { get: () => hidden, configurable: true })
    document.dispatchEvent(new Event("visibilitychange"))
}"""


class LivePages:
    """Opens pages. None may violate the security policy, or have another error than expected ones.

    `expected_errors`: parts of the messages of errors that a test causes itself.
    """

    def __init__(
        self,
        contexts: Contexts,
        scene: Scene,
        init_script: str,
        expected_errors: Sequence[str] = (),
    ) -> None:
        self._contexts = contexts
        self._scene = scene
        self._init_script = init_script
        self._expected, self._errors = expected_errors, list[str]()

    def open(self, path: str, uid: int | None, **options: Any) -> Page:
        """Open a page as a member, or as a visitor if `uid` is None."""
        base = f"http://127.0.0.1:{self._scene.site.config.port}"
        context = self._contexts.take(base_url=base, **options)
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
        """Close all pages and check that none had an unexpected error."""
        self._contexts.give_back()
        errors = [one for one in self._errors if not any(map(one.__contains__, self._expected))]
        assert not errors, errors

    def _on_console(self, message: ConsoleMessage) -> None:
        if "Security" in message.text:
            self._errors.append(message.text)


def accessibility_problems(page: Page) -> list[str]:
    """Return the rules of axe-core that a page breaks in a colour scheme.

    Motion is reduced: colours on their way from one scheme to the other have no contrast.
    """
    page.emulate_media(reduced_motion="reduce")
    return [violation["id"] for _, violation in violations(page)]
