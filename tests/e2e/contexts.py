"""Keep browser contexts from test to test: a new one would fetch all static files again."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from playwright.sync_api import Browser, BrowserContext, Page

KEPT_MAX = 2  # of one kind: few tests have three members at once


class Taken(NamedTuple):
    """A context that a test uses."""

    key: str  # '' if it is used once
    context: BrowserContext
    listeners: Mapping[str, Callable[..., None]]


class Contexts:
    """Browser contexts without cookies, storage and pages, by their options.

    Their cache holds only what a server lets it keep: static files, whose addresses name their
    content. A context with service workers or permissions is used once.
    """

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._kept: defaultdict[str, list[BrowserContext]] = defaultdict(list)
        self._taken: list[Taken] = []

    def take(
        self, listeners: Mapping[str, Callable[..., None]] | None = None, **options: Any
    ) -> BrowserContext:
        """Return a context with these options of Playwright, until `give_back`.

        `listeners`: what is called at its events, by their names.
        """
        # A test that answers requests itself would not see those of a service worker.
        options = {"service_workers": "block", **options}
        is_usual = options["service_workers"] == "block" and "permissions" not in options
        key = repr(sorted(options.items())) if is_usual else ""
        context = self._kept[key].pop() if self._kept[key] else self._open(key, options)
        taken = Taken(key, context, listeners or {})
        for event, listener in taken.listeners.items():
            context.on(event, listener)
        self._taken.append(taken)
        return context

    def _open(self, key: str, options: dict[str, Any]) -> BrowserContext:
        context = self._browser.new_context(**options)
        if key:
            context.new_page()  # keeps the process of the context's pages
        return context

    def give_back(self) -> None:
        """Empty and keep the taken contexts. Close those that are not kept."""
        while self._taken:
            key, context, listeners = self._taken.pop()
            if not key or len(self._kept[key]) >= KEPT_MAX:
                context.close()
                continue
            _empty(context)
            for event, listener in listeners.items():
                context.remove_listener(event, listener)
            self._kept[key].append(context)


def _empty(context: BrowserContext) -> None:
    """Close the pages of a context but its first, and delete what they stored."""
    first, *pages = context.pages
    origins = {origin for page in pages for origin in _origins(page)}
    for page in pages:
        page.close()
    debugger = context.new_cdp_session(first)
    for origin in origins:
        stored = {"origin": origin, "storageTypes": "all"}
        debugger.send("Storage.clearDataForOrigin", stored)
    debugger.detach()
    context.clear_cookies()
    context.set_offline(False)


def _origins(page: Page) -> set[str]:
    return {"/".join(frame.url.split("/")[:3]) for frame in page.frames if "://" in frame.url}
