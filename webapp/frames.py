"""Frames of pages: what a template makes that is the same for all readers, with holes where it differs.

A frame is rendered with a mark in each hole instead of what is one reader's own, and cut at the marks. So nothing of a
reader can be in it: it never saw any. It depends on the template, language, theme and address, which are its key.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from flask import Flask, current_app, render_template, request
from flask import session as form_session
from markupsafe import Markup

from . import preferences
from .app import bound
from .memo import Memo

MARK = secrets.token_hex(8)  # of this process; nobody can write it, for nobody sees it
HOLE = re.compile(f"{MARK}([a-z_]+){MARK}")
OVERHEAD = 2_000  # bytes of a frame besides its text
KEPT = 8 * 1024 * 1024  # bytes of frames in one process

Frame = list[bytes | str]  # text, name of a hole, text, name of a hole, …, text


def init(app: Flask) -> None:
    """Lets an app keep frames."""
    app.extensions["linnet.frames"] = Memo[Frame](KEPT, lambda frame: OVERHEAD + sum(map(len, frame)))


class Hole(Markup):
    """Stands for a text that is one reader's own, or for the function that makes it."""

    def __call__(self, *args: Any, **options: Any) -> Hole:
        return self


def hole(name: str) -> Hole:
    """The mark of the hole of this name: lower-case letters."""
    return Hole(f"{MARK}{name}{MARK}")


def framed(template: str, context: Mapping[str, Any], own: Mapping[str, str | Sequence[bytes]]) -> bytes:
    """The page of a template that finds `context` and, under the names in `own`, holes for these texts, or texts as
    they are sent, in parts. `context` is the same for all readers of this address, and may hold holes itself. Not while
    there is a message to be shown.
    """
    asked, app = bound(request), bound(current_app)
    site = (asked.scheme, asked.host, asked.root_path)
    key = (template, site, asked.full_path, preferences.language().code, preferences.theme())
    frames: Memo[Frame] = app.extensions["linnet.frames"]
    frame = frames.get(key)
    if frame is None or app.debug:
        page = HOLE.split(render_template(template, **{**context, **{name: hole(name) for name in own}}))
        frame = frames.put(key, [part if at % 2 else part.encode() for at, part in enumerate(page)])
    filled = {name: (text.encode(),) if isinstance(text, str) else text for name, text in own.items()}
    return b"".join(chain.from_iterable(filled[part] if isinstance(part, str) else (part,) for part in frame))


def may_be_framed() -> bool:
    """Whether nothing is to be said to this reader alone."""
    return not request.args and "_flashes" not in form_session
