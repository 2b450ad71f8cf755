"""Let tests act on a page once it has loaded.

A press on a link ends before the next page has run its scripts. A key that is pressed then is
lost, and a button sends its form as it does without scripts.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any
from weakref import WeakSet

from playwright.sync_api import Locator, Page

ACTS = """
    blur check clear click dblclick dispatch_event drag_to fill focus hover press
    press_sequentially select_option set_checked set_input_files tap uncheck
""".split()
DEVICES = ("keyboard", "mouse", "touchscreen")
EARLY: WeakSet[Page] = WeakSet()  # pages that are used before they have loaded


def wait_for_loads() -> None:
    """Let each act of a test wait for its page, unless `wait_until="commit"` opened it."""
    for name in ACTS:
        setattr(Locator, name, _on_loaded_page(getattr(Locator, name)))
    for name in DEVICES:
        setattr(Page, name, _of_loaded_page(getattr(Page, name)))
    Page.goto = _noting_early(Page.goto)  # type: ignore[method-assign]


def _wait_for(page: Page) -> None:
    if page not in EARLY:
        page.wait_for_load_state()


def _on_loaded_page(act: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(act)
    def act_on_loaded(locator: Locator, *values: Any, **options: Any) -> Any:
        _wait_for(locator.page)
        return act(locator, *values, **options)

    return act_on_loaded


def _of_loaded_page(device: property) -> property:
    def device_of_loaded(page: Page) -> Any:
        _wait_for(page)
        return device.__get__(page)

    return property(device_of_loaded)


def _noting_early(goto: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(goto)
    def goto_noting(page: Page, url: str, **options: Any) -> Any:
        note = EARLY.add if options.get("wait_until") == "commit" else EARLY.discard
        note(page)
        return goto(page, url, **options)

    return goto_noting
