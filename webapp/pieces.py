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

from . import preferences
from .memo import Memo

# What pieces may use: nothing here depends on the request but for its language.
SHARED = "_ gettext ngettext pgettext npgettext url_for asset languages blank_post_form range dict namespace".split()
OVERHEAD = 1_000  # bytes that an entry takes besides a value and what it was made of, about as much again


class Pieces:
    """The pieces of an app. Called as `kept` in its templates."""

    def __init__(self, app: Flask, most: int) -> None:
        """`most`: bytes of pieces that are kept."""
        self._app, self.memo, self.wholes = app, Memo[Markup](most // 2, _weight), Memo[bytes](most // 2, _weight)

    def __call__(self, template: str, macro: str, *given: Any) -> Markup:
        """What the macro of this template makes of what it is given, all of it frozen values."""
        return self.made(preferences.language().code, template, macro, *given)

    def made(self, language: str, template: str, macro: str, *given: Any) -> Markup:
        """The same, where the language of the request (its code) was asked for already, as for many pieces in a row."""
        key = (language, template, macro, *given)
        piece = self.memo.get(key)
        if piece is None or self._app.debug:
            made = getattr(self._environment.get_template(template).module, macro)(*given)
            piece = self.memo.put(key, Markup(made))
        return piece

    def whole(self, key: tuple[Any, ...], parts: Callable[..., Iterable[str]], *given: Any) -> bytes:
        """Several pieces that stand together, as they are sent: by all that they are made of, frozen values too.
        `parts`: makes them of what is given.
        """
        found = self.wholes.get(key)
        if found is None or self._app.debug:
            found = self.wholes.put(key, "".join(parts(*given)).encode())
        return found

    @cached_property
    def _environment(self) -> Environment:
        """That of the app, made when the app is whole, without what differs between readers."""
        environment = self._app.jinja_env.overlay(undefined=StrictUndefined)
        environment.globals = {name: self._app.jinja_env.globals[name] for name in SHARED}
        return environment


def init(app: Flask, most: int) -> None:
    """Gives templates `kept`."""
    app.extensions["linnet.pieces"] = app.jinja_env.globals["kept"] = Pieces(app, most)


def kept() -> Pieces:
    """The pieces of the current app."""
    return cast(Pieces, current_app.extensions["linnet.pieces"])


def _weight(piece: Markup | bytes) -> int:
    return 2 * sys.getsizeof(piece) + OVERHEAD
