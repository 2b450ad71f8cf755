"""Check of kept pages: each one that is sent again equals the page as it would be rendered now."""

import gzip
import re
from collections.abc import Callable
from typing import Any

import brotli

from webapp.core.rendering import kept_pages
from webapp.core.rendering.compression import CompressedStart
from webapp.core.rendering.kept_pages import KeptPage
from webapp.core.rendering.shells import fill

TOKEN = re.compile(rb'(name="csrf_token"[^>]* value=")[^"]+')  # it names the second it was made in


def check_kept_pages() -> None:
    """Let each kept page be rendered again, and compared with what is kept."""
    real = kept_pages._page

    def checked(values: tuple[Any, ...], render: Callable[[], str | bytes]) -> KeptPage:
        rendered: list[object] = []

        def counted() -> str | bytes:
            rendered.append(None)
            return render()

        page = real(values, counted)
        if not rendered:
            now = kept_pages._new_page((), "", render)
            assert _whole(page) == _whole(now)
        return page

    kept_pages._page = checked


def _whole(page: KeptPage) -> bytes:
    end = fill(page.end, {name: name for name in page.end if isinstance(name, str)})
    return TOKEN.sub(rb"\1", decompressed(page.start, end))


def decompressed(start: CompressedStart, end: bytes) -> bytes:
    """Return the body of a compressed start with an end, decompressed."""
    body = start.with_end(end)
    if start.encoding == "br":
        return bytes(brotli.decompress(body))
    return gzip.decompress(body) if start.encoding else body
