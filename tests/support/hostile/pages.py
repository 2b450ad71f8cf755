"""Read pages as a browser would, and find in them what is unsafe."""

import re
import unicodedata
from functools import lru_cache
from html.parser import HTMLParser
from typing import ClassVar

from werkzeug.test import TestResponse

# What differs each time: the id of a request, the key of a form.
RANDOM = re.compile(r'\b[0-9a-f]{16}\b|(?<= value=")[\w-]{16,}(?=")')
DATA = {"type": "application/ld+json"}  # of a script that no browser runs


class PageReader(HTMLParser):
    """Collects a page's texts, the fields of its forms, and what is unsafe in it."""

    VOID = frozenset(
        "area base br col embed hr img input link meta source track wbr path circle use".split()
    )
    PLAIN = frozenset(("title", "textarea", "option"))  # hold text alone
    # Unicode's classes of characters that change the direction of the text around them.
    DIRECTIONAL = frozenset("R AL AN RLE RLO LRE LRO PDF RLI LRI FSI PDI".split())
    # The names and attributes of safe tags, by their text: pages repeat most of theirs.
    _safe_tags: ClassVar[dict[str, tuple[str, dict[str, str]]]] = {}

    def __init__(self, text: str) -> None:
        super().__init__()
        self.words: list[str] = []
        self.unsafe: list[str] = []
        self.loose: list[str] = []  # texts that could change the direction of their line
        self.forms: list[tuple[str, set[str]]] = []  # address and names of fields
        self._fields_by_id: dict[str, set[str]] = {}
        self._open: list[tuple[str, bool]] = []
        self.feed(text)

    def parse_starttag(self, i: int) -> int:
        """Parse the tag that starts here, unless one with the same text was."""
        end: int = self.check_for_whole_start_tag(i)
        parsed = self._safe_tags.get(self.rawdata[i:end])
        if not parsed:
            return super().parse_starttag(i)
        self._start(*parsed)
        return end

    def updatepos(self, i: int, j: int) -> int:
        """Count no lines: nobody asks where a tag is."""
        return j

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        text, unsafe = self.get_starttag_text() or "", len(self.unsafe)
        self._check(tag, attributes)
        has_more = tag in self.CDATA_CONTENT_ELEMENTS or text.endswith("/>")  # for the parser to do
        if len(self.unsafe) == unsafe and not has_more:
            self._safe_tags[text] = tag, attributes
        self._start(tag, attributes)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "form" and attributes.get("method") == "post":
            self.forms.append((attributes.get("action", ""), set()))
            self._fields_by_id[attributes.get("id", "")] = self.forms[-1][1]
        elif (
            tag == "button"
            and "formaction" in attributes
            and attributes.get("form") in self._fields_by_id
        ):
            self.forms.append(
                (attributes["formaction"], set(self._fields_by_id[attributes["form"]]))
            )
        elif (
            attributes.get("name")
            and tag in ("input", "textarea", "select", "button")
            and self.forms
        ):
            self.forms[-1][1].add(attributes["name"])
        if tag not in self.VOID:
            self._open.append((tag, tag == "bdi" or attributes.get("dir") == "auto"))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        self.words.append(data)
        if data.isascii():
            return
        is_isolated = any(isolated or tag in self.PLAIN for tag, isolated in self._open)
        if not is_isolated and any(unicodedata.bidirectional(c) in self.DIRECTIONAL for c in data):
            self.loose.append(data)

    def _check(self, tag: str, attributes: dict[str, str]) -> None:
        element = f"<{tag} {attributes}>"
        # A base for windows alone, and data for search engines.
        if (tag, attributes) in (("base", {"target": "_blank"}), ("script", DATA)):
            return
        if tag in ("iframe", "object", "embed", "base", "style", "frame", "math", "audio", "video"):
            self.unsafe.append(element)
        if tag == "script" and not attributes.get("src", "").startswith("/static/js/"):
            self.unsafe.append(element)
        for name, value in attributes.items():
            is_link = name in ("href", "src", "action", "formaction", "srcset", "xlink:href")
            is_safe = re.match(r"(/(?!/)|https?://|#|\?)", value, re.IGNORECASE)
            if name.startswith("on") or name in ("style", "srcdoc") or (is_link and not is_safe):
                self.unsafe.append(element)


@lru_cache(maxsize=4_096)
def inspect_page(text: str) -> tuple[list[str], int]:
    """Return what is unsafe in a page, and the number of its words. Most refusals are alike."""
    page = PageReader(text)
    return page.unsafe, len(" ".join(page.words).split())


def check_response(response: TestResponse, where: object) -> None:
    """Fail if a response is an error of the site, leads elsewhere or is unsafe."""
    assert response.status_code < 500, where
    assert "X-Evil" not in response.headers and "X-Evil" not in str(response.location), where
    if response.location:
        assert re.match(r"/(?![/\\])", response.location), (where, response.location)
    assert "forged" not in "".join(response.headers.getlist("Set-Cookie")), where
    if (
        response.mimetype == "text/html"
        and response.status_code >= 400
        and response.request.method != "HEAD"
    ):
        unsafe, words = inspect_page(RANDOM.sub("", response.text))
        assert not unsafe, (where, unsafe)
        assert words > 5 and response.text.rstrip().endswith("</html>"), where
        assert "Traceback" not in response.text, where
