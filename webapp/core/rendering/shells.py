"""Page shells: the parts of a page that are equal for all readers, with placeholders elsewhere.

A shell is rendered with a mark in place of everything that is one reader's own, and cut at the
marks. So it cannot hold anything of a reader: it never saw any. It depends on the template, the
language, the theme, the link cards, the address and a variant, which are its key.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from flask import Flask, current_app, render_template, request, session as form_session
from markupsafe import Markup, escape

from webapp.config import Config
from webapp.core.i18n import preferences
from webapp.core.web import unwrap
from webapp.core.web.context import has_newest_settings

from .bounded_cache import BoundedCache

MARK = secrets.token_hex(8)  # of this process; no page shows it, so nobody can write it
PLACEHOLDER_PATTERN = re.compile(f"{MARK}([a-z_]+){MARK}".encode())
ENTRY_OVERHEAD = 2_000  # bytes of a shell besides its text
SHELLS_MAX_BYTES = 8 * 1024 * 1024  # bytes of shells in one process

Shell = list[bytes | str]  # text, name of a placeholder, text, name, …, text
Part = str | bytes | Sequence[bytes]  # the value of a placeholder


def init(app: Flask) -> None:
    """Give an app its cache of shells."""

    def forget(config: Config | None = None) -> None:
        app.extensions["linnet.shells"] = BoundedCache[Shell](SHELLS_MAX_BYTES, _size_of)

    forget()
    app.extensions["linnet.settings"].hooks.append(forget)


class Placeholder(Markup):
    """Stands for a text that is one reader's own, or for the function that makes it."""

    def __call__(self, *args: Any, **options: Any) -> Placeholder:
        return self


@cache
def placeholder(name: str) -> Placeholder:
    """Return the mark of a placeholder; its name is in lower-case letters."""
    return Placeholder(f"{MARK}{name}{MARK}")


def render_in_shell(
    template: str, context: Mapping[str, Any], values: Mapping[str, Part], variant: Hashable
) -> bytes:
    """Return the page of a template whose variables are `context` and `values`.

    `context` is the same for all readers of this address and variant; it may hold placeholders.
    `values` are one reader's: texts, or parts ready to send. Only where `can_use_shell()`.
    """
    return fill(_get_or_render(template, context, values, variant), values)


def fill(shell: Shell, values: Mapping[str, Part]) -> bytes:
    """Return the page of a shell, with the values of its placeholders."""
    page: list[bytes] = []
    for text in shell:
        part = values[text] if isinstance(text, str) else text
        if isinstance(part, bytes):
            page.append(part)
        elif isinstance(part, str):
            page.append(part.encode())
        else:
            page += part
    return b"".join(page)


def fill_in(fragment: Markup, values: Mapping[str, object]) -> str:
    """Return a fragment that was rendered with placeholders, with values in their place, escaped.

    Its macro must only write these values. Things that differ in nothing else share the fragment.
    """
    html = str(fragment)
    for name, value in values.items():
        html = html.replace(placeholder(name), escape(value))
    return html


def can_use_shell() -> bool:
    """Return True if the page shows no notice, and has no parameters."""
    return not request.args and "_flashes" not in form_session


def _get_or_render(
    template: str, context: Mapping[str, Any], value_names: Iterable[str], variant: Hashable
) -> Shell:
    flask_request, app = unwrap(request), unwrap(current_app)
    key = (
        template,
        (flask_request.scheme, flask_request.host, flask_request.root_path),
        flask_request.full_path,
        preferences.appearance(),
        variant,
    )
    shells: BoundedCache[Shell] = app.extensions["linnet.shells"]
    shell = shells.get(key)
    if shell is None or app.debug:
        placeholders = {name: placeholder(name) for name in value_names}
        page = render_template(template, **{**context, **placeholders})
        shell = cut(page)
        if has_newest_settings():
            shells.put(key, shell)
    return shell


def cut(page: str | bytes) -> Shell:
    """Cut a page at its marks: every second part is a placeholder's name."""
    parts = PLACEHOLDER_PATTERN.split(page.encode() if isinstance(page, str) else page)
    return [part.decode() if index % 2 else part for index, part in enumerate(parts)]


def _size_of(shell: Shell) -> int:
    return ENTRY_OVERHEAD + sum(map(len, shell))
