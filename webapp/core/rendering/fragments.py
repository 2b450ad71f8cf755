"""The fragment cache: parts of pages that are rendered once and kept in the process.

A fragment is the HTML that a macro makes of its arguments and a language, and nothing else. Its
environment knows no request, session, viewer or form token, so a fragment shown to one reader may
be shown to all. Its key is all that it is made of, by value: a change makes another fragment, in
every process, and nothing needs to be invalidated.

The head and the buttons of most statuses differ only in ids, names and times. Such a fragment is
rendered once, with placeholders (shells.py). Measured: a home of 30 new statuses takes 0.43 of the
time.
"""

import sys
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, cast

from flask import Flask, current_app
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from webapp.config import Config
from webapp.core.i18n import preferences
from webapp.core.store.servers.greenlets import pause
from webapp.core.web.context import has_newest_settings

from .bounded_cache import BoundedCache

# The globals that fragments may use. Of the request, these depend on its language only.
TEMPLATE_GLOBALS = (
    "_ gettext ngettext pgettext npgettext url_for asset languages blank_post_form picture_limit "
    "range dict namespace feature_blueprints has_feature has_mail site_name "
    "site_description accent_sheet members_invite own_icon icon_url"
).split()
ENTRY_OVERHEAD = 1_000  # bytes of an entry besides the value and its key


class FragmentCache:
    """The fragments of an app. Templates call it as `fragment(template, macro, …)`."""

    def __init__(self, app: Flask, max_bytes: int) -> None:
        self._app, self._max_bytes = app, max_bytes
        self.forget()

    def forget(self, config: Config | None = None) -> None:
        """Drop all fragments, as the settings that they show have changed."""
        self.cache = BoundedCache[Markup](self._max_bytes // 2, _size_of)
        self.joined_cache = BoundedCache[bytes](self._max_bytes // 2, _size_of)

    def __call__(self, template: str, macro: str, *arguments: Any) -> Markup:
        """Return the HTML of a template's macro for these arguments, all of them frozen values."""
        return self.get_or_render(preferences.language().code, template, macro, *arguments)

    def get_or_render(self, language: str, template: str, macro: str, *arguments: Any) -> Markup:
        """Return a fragment in `language`. Faster than `__call__`, which looks the language up."""
        key = (language, template, macro, *arguments)
        cache = self.cache
        fragment = cache.get(key)
        if fragment is None or self._app.debug:
            pause()
            module = self._environment.get_template(template).module
            fragment = Markup(getattr(module, macro)(*arguments))
            if has_newest_settings():
                cache.put(key, fragment)
        return fragment

    def get_or_render_bytes(self, *key: Any) -> bytes:
        """Return a fragment as bytes. `key`: (language, template, macro, *arguments)."""
        return self.get_or_render_joined(key, lambda: (self.get_or_render(*key),))

    def get_or_render_joined(
        self, key: tuple[Any, ...], render_parts: Callable[..., Iterable[str]], *arguments: Any
    ) -> bytes:
        """Return several adjacent fragments joined, as bytes to send.

        `key` is all that they are made of, frozen values too; `render_parts(*arguments)` makes
        them.
        """
        cache = self.joined_cache
        joined = cache.get(key)
        if joined is None or self._app.debug:
            joined = "".join(render_parts(*arguments)).encode()
            if has_newest_settings():
                cache.put(key, joined)
        return joined

    @cached_property
    def _environment(self) -> Environment:
        """Return the app's environment without the globals that differ between readers.

        Made at first use, when the app has all its globals.
        """
        environment = self._app.jinja_env.overlay(undefined=StrictUndefined)
        environment.globals = {name: self._app.jinja_env.globals[name] for name in TEMPLATE_GLOBALS}
        return environment


def init(app: Flask, max_bytes: int) -> None:
    """Give an app its fragment cache, and templates `fragment`."""
    cache = FragmentCache(app, max_bytes)
    app.extensions["linnet.settings"].hooks.append(cache.forget)
    app.extensions["linnet.fragments"] = cache
    app.jinja_env.globals["fragment"] = cache


def fragments() -> FragmentCache:
    """Return the fragment cache of the current app."""
    return cast(FragmentCache, current_app.extensions["linnet.fragments"])


def _size_of(fragment: Markup | bytes) -> int:
    # The key holds about as much text as the value.
    return 2 * sys.getsizeof(fragment) + ENTRY_OVERHEAD
