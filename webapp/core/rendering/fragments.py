"""Pieces of pages that are rendered once and kept in the process.

A piece is what a macro makes of its arguments in a language, and of nothing else: its environment knows no request,
session, viewer or form token, so none of these can get into a piece that another reader is shown. What a piece was made
of is its key, by value: whatever changes makes another piece, at once and in every process, and nothing has to be told.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, cast

from flask import Flask, current_app
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from webapp.core.i18n import preferences

from .bounded_cache import BoundedCache

# What pieces may use: nothing here depends on the request but for its language.
TEMPLATE_GLOBALS = "_ gettext ngettext pgettext npgettext url_for asset languages blank_post_form range dict namespace".split()
ENTRY_OVERHEAD = (
    1_000  # bytes that an entry takes besides a value and what it was made of, about as much again
)


class FragmentCache:
    """The pieces of an app. Called as `fragment` in its templates."""

    def __init__(self, app: Flask, max_bytes: int) -> None:
        """`max_bytes`: bytes of pieces that are kept."""
        self._app, self.cache, self.joined_cache = (
            app,
            BoundedCache[Markup](max_bytes // 2, _size_of),
            BoundedCache[bytes](max_bytes // 2, _size_of),
        )

    def __call__(self, template: str, macro: str, *arguments: Any) -> Markup:
        """What the macro of this template makes of what it is given, all of it frozen values."""
        return self.get_or_render(preferences.language().code, template, macro, *arguments)

    def get_or_render(self, language: str, template: str, macro: str, *arguments: Any) -> Markup:
        """The same, where the language of the request (its code) was asked for already, as for many pieces in a row."""
        key = (language, template, macro, *arguments)
        fragment = self.cache.get(key)
        if fragment is None or self._app.debug:
            rendered = getattr(self._environment.get_template(template).module, macro)(*arguments)
            fragment = self.cache.put(key, Markup(rendered))
        return fragment

    def get_or_render_joined(
        self, key: tuple[Any, ...], render_parts: Callable[..., Iterable[str]], *arguments: Any
    ) -> bytes:
        """Several pieces that stand together, as they are sent: by all that they are made of, frozen values too.
        `render_parts`: makes them of what is given.
        """
        joined = self.joined_cache.get(key)
        if joined is None or self._app.debug:
            joined = self.joined_cache.put(key, "".join(render_parts(*arguments)).encode())
        return joined

    @cached_property
    def _environment(self) -> Environment:
        """That of the app, made when the app is whole, without what differs between readers."""
        environment = self._app.jinja_env.overlay(undefined=StrictUndefined)
        environment.globals = {name: self._app.jinja_env.globals[name] for name in TEMPLATE_GLOBALS}
        return environment


def init(app: Flask, max_bytes: int) -> None:
    """Gives templates `fragment`."""
    app.extensions["linnet.pieces"] = app.jinja_env.globals["fragment"] = FragmentCache(
        app, max_bytes
    )


def fragments() -> FragmentCache:
    """The pieces of the current app."""
    return cast(FragmentCache, current_app.extensions["linnet.pieces"])


def _size_of(fragment: Markup | bytes) -> int:
    return 2 * sys.getsizeof(fragment) + ENTRY_OVERHEAD
