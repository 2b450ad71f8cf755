"""The forms of posts."""

import re
from html import unescape

from werkzeug.test import TestResponse

FOLD = re.compile(
    r'<details class="status-cw"><summary>.*?<bdi>(.*?)</bdi></summary>(.*?)</details>', re.S
)


def warnings(page: str) -> list[tuple[str, bool]]:
    """Return the warnings on a page, newest first, and whether each hides the text of its post."""
    return [(unescape(cw), 'class="status-body"' in hidden) for cw, hidden in FOLD.findall(page)]


def composer_text(answer: TestResponse) -> str:
    """Return the text in the composer of a page."""
    area = re.search(r"<textarea[^>]*>\r?\n?(.*?)</textarea>", answer.text, re.DOTALL)
    assert area
    return unescape(area[1])


def field_value(answer: TestResponse, name: str) -> str | None:
    """Return the value of an input field of a page, or None if it is empty."""
    field = re.search(rf'<input [^>]*name="{name}"[^>]*>', answer.text)
    assert field
    found = re.search(r' value="([^"]*)"', field[0])
    return unescape(found[1]) or None if found else None
