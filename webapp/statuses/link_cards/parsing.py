"""Read the title, description and picture of a page from its HTML, in time linear in its length.

Nothing is built from the page but these texts. html.parser and the libraries that fill a whole tree
take seconds for some hostile pages; a few tags of the head are enough.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from html import unescape
from urllib.parse import urljoin

from webapp.core.net.safe_http import URL_MAX
from webapp.core.text.cleaning import clean_line
from webapp.core.text.parser import MAX_CODE_POINTS, Unacceptable

from .charsets import decode

TITLE_MAX = 200  # characters
DESCRIPTION_MAX = 300  # characters
TAG_MAX = 4_096  # characters of one tag that is looked into
DECLARATION_MAX = 2_048  # bytes at the beginning in which the page may name its charset
# The names of properties, the first that is there wins.
TITLES = ("og:title", "twitter:title", "title")
DESCRIPTIONS = ("og:description", "twitter:description", "description")
PICTURES = ("og:image:secure_url", "og:image", "og:image:url", "twitter:image", "twitter:image:src")

MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
XML_ENCODING = re.compile(r"<\?xml[^>]*?\sencoding\s*+=\s*+[\"']([^\"'>]{1,40})[\"']")
META_CHARSET = re.compile(r"charset\s*+=\s*+[\"']?\s*+([^\s\"';]{1,40})", re.I)
TAG_NAME = re.compile(r"</?([a-zA-Z]++)")
# A quote begins a value only behind an equals sign.
META = re.compile(r"<meta(?:=\s*+(?:\"[^\"]*+\"|'[^']*+')|[^>=]|=)*+>", re.I)
ATTRIBUTE = re.compile(
    r"(?<![a-z-])([a-z-]++)\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'>]++))", re.I
)
RAW_ENDS = {
    name: re.compile(f"</{name}", re.I) for name in ("title", "script", "style", "noscript")
}


@dataclass(frozen=True, slots=True)
class PageHead:
    """A page's own title, description and picture, as plain text; `picture_url` may be ""."""

    title: str
    description: str = ""
    picture_url: str = ""


def parse_head(content: bytes, charset: str, url: str) -> PageHead | None:
    """Return the title, description and picture of a page; None without a title.

    `charset`: that of its header, or "". `url`: its own, to which others are relative.
    """
    found = _properties(_decode(content, charset))
    title = _first(found, TITLES, TITLE_MAX)
    if not title:
        return None
    return PageHead(title, _first(found, DESCRIPTIONS, DESCRIPTION_MAX), _picture_url(found, url))


def _decode(content: bytes, charset: str) -> str:
    """Return the text of a page, by its byte order mark, its header or its head; else as UTF-8."""
    for mark, name in MARKS:
        if content.startswith(mark):
            return content.decode(name, "replace").removeprefix("\ufeff")
    return decode(content, charset, _declared_charset(content))


def _declared_charset(content: bytes) -> str:
    """Return the charset that a page names at its beginning; "" for none."""
    text = content[:DECLARATION_MAX].decode("latin-1")
    if declaration := XML_ENCODING.match(text):
        return declaration[1]
    for tag, start, end in _head_tags(text):
        values = _attributes(text, start, end) if tag == "meta" else {}
        if values.get("http-equiv", "").strip().lower() == "content-type":
            found = META_CHARSET.search(values.get("content", ""))
            values.setdefault("charset", found[1] if found else "")
        if values.get("charset"):
            return values["charset"]
    return ""


def _properties(text: str) -> dict[str, str]:
    """Return the properties of the head and its `title`, of each the first."""
    found: dict[str, str] = {}
    for tag, start, end in _head_tags(text):
        begin = text.find(">", start, end) + 1 if tag == "title" and "title" not in found else 0
        if begin:
            found["title"] = unescape(text[begin : min(end, begin + TAG_MAX)])
        elif tag == "meta":
            values = _attributes(text, start, end)
            name = (values.get("property") or values.get("name") or "").strip().lower()
            if name and values.get("content", "").strip():
                found.setdefault(name, values["content"])
    return found


def _attributes(text: str, start: int, end: int) -> dict[str, str]:
    """Return the attributes of a `<meta>`."""
    return {
        match[1].lower(): unescape(match[2] or match[3] or match[4] or "")
        for match in ATTRIBUTE.finditer(text, start + len("<meta"), end)
    }


def _head_tags(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the opening tags of the head: name, start and end; with the content of a raw one.

    Nothing is looked at twice, so a hostile page takes no longer than another.
    """
    position = text.find("<")
    while position >= 0:
        closing = text.startswith("</", position)
        name = TAG_NAME.match(text, position)
        tag, end = name[1].lower() if name else "", position + 1
        if tag == "body" or (closing and tag == "head"):
            return
        if text.startswith("<!--", position):
            end = text.find("-->", position + 4)
        elif tag in RAW_ENDS and not closing:
            raw_end = RAW_ENDS[tag].search(text, position)
            end = raw_end.start() if raw_end else -1
        elif tag == "meta":
            meta = META.match(text, position, position + TAG_MAX)
            end = meta.end() if meta else position + TAG_MAX
        if end < 0:
            return
        if tag and not closing:
            yield tag, position, end
        position = text.find("<", end)


def _first(found: Mapping[str, str], names: Sequence[str], limit: int) -> str:
    """Return the first of these properties as one clean line; "" for none."""
    for name in names:
        try:
            line = clean_line(found.get(name, "")[:TAG_MAX], MAX_CODE_POINTS)
        except Unacceptable:  # too long once it is normalised
            continue
        if line:
            return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"
    return ""


def _picture_url(found: Mapping[str, str], url: str) -> str:
    """Return the address of a page's picture; "" for none."""
    for name in PICTURES:
        written = found.get(name, "").strip()
        if written and len(written) <= URL_MAX:
            with suppress(ValueError):
                return urljoin(url, written)
    return ""
