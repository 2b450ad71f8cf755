"""Templates may break a long tag over several lines; pages get it in one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream

PART = re.compile(
    r"""<!--.*?-->|<[a-zA-Z/]|[>"']|\s*\n\s*|[^<>"'\n]+?(?=\s*[<>"'\n]|\Z)|.""", re.DOTALL
)
OPENING = re.compile(r"<[a-zA-Z/]")


class JoinTagLines(Extension):
    """Replaces line breaks inside tags by single spaces, when a template is compiled."""

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        """Yield the tokens of a template, with the data inside its tags in one line."""
        scanner = _Scanner()
        for token in stream:
            if token.type == "data":
                yield Token(token.lineno, "data", scanner.joined(token.value))
            else:
                yield token


class _Scanner:
    """Remembers between pieces of a template's text whether it is inside a tag or a value."""

    def __init__(self) -> None:
        self._in_tag = False
        self._quote = ""

    def joined(self, text: str) -> str:
        """Return a piece of text with the line breaks inside tags replaced."""
        return "".join(map(self._part, PART.findall(text)))

    def _part(self, part: str) -> str:
        if self._quote:
            if part == self._quote:
                self._quote = ""
        elif not self._in_tag and OPENING.fullmatch(part):
            self._in_tag = True
        elif self._in_tag and part == ">":
            self._in_tag = False
        elif self._in_tag and part in "\"'":
            self._quote = part
        elif self._in_tag and "\n" in part and not part.strip():
            return " "
        return part
