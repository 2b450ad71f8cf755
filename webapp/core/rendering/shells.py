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

from webapp.core.i18n import preferences
from webapp.core.web.context import unwrap

from .bounded_cache import BoundedCache

MARK = secrets.token_hex(8)  # of this process; nobody can write it, for nobody sees it
PLACEHOLDER_PATTERN = re.compile(f"{MARK}([a-z_]+){MARK}")
ENTRY_OVERHEAD = 2_000  # bytes of a frame besides its text
SHELLS_MAX_BYTES = 8 * 1024 * 1024  # bytes of frames in one process

Shell = list[bytes | str]  # text, name of a hole, text, name of a hole, …, text


def init(app: Flask) -> None:
    """Lets an app keep frames."""
    app.extensions["linnet.frames"] = BoundedCache[Shell](
        SHELLS_MAX_BYTES, lambda frame: ENTRY_OVERHEAD + sum(map(len, frame))
    )


class Placeholder(Markup):
    """Stands for a text that is one reader's own, or for the function that makes it."""

    def __call__(self, *args: Any, **options: Any) -> Placeholder:
        return self


def placeholder(name: str) -> Placeholder:
    """The mark of the hole of this name: lower-case letters."""
    return Placeholder(f"{MARK}{name}{MARK}")


def render_in_shell(
    template: str, context: Mapping[str, Any], values: Mapping[str, str | Sequence[bytes]]
) -> bytes:
    """The page of a template that finds `context` and, under the names in `own`, holes for these texts, or texts as
    they are sent, in parts. `context` is the same for all readers of this address, and may hold holes itself. Not while
    there is a message to be shown.
    """
    current_request, app = unwrap(request), unwrap(current_app)
    site = (current_request.scheme, current_request.host, current_request.root_path)
    key = (
        template,
        site,
        current_request.full_path,
        preferences.language().code,
        preferences.theme(),
    )
    shells: BoundedCache[Shell] = app.extensions["linnet.frames"]
    shell = shells.get(key)
    if shell is None or app.debug:
        parts = PLACEHOLDER_PATTERN.split(
            render_template(template, **{**context, **{name: placeholder(name) for name in values}})
        )
        shell = shells.put(
            key, [part if at % 2 else part.encode() for at, part in enumerate(parts)]
        )
    filled = {
        name: (text.encode(),) if isinstance(text, str) else text for name, text in values.items()
    }
    return b"".join(
        chain.from_iterable(filled[part] if isinstance(part, str) else (part,) for part in shell)
    )


def can_use_shell() -> bool:
    """Whether nothing is to be said to this reader alone."""
    return not request.args and "_flashes" not in form_session
