"""Drop the line breaks of templates that only their readers need.

A break is white space with a line break in it. Next to a tag, an expression or a block it is
nothing. Between two attributes it is a space. In the middle of a text it stays, without the
indentation. So a template may break its lines anywhere, and writes a space that a page needs on
one line, or as ``{{ ' ' }}``. The rule for text is JSX's.
"""

import re
from collections.abc import Iterator

from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream

PART = re.compile(
    r"""<!--.*?-->|</?[a-zA-Z][^\s<>"']*|[>"']|\s*\n\s*|[^<>"'\n]+?(?=\s*[<>"'\n]|\Z)|.""",
    re.DOTALL,
)
TAG = re.compile("</?[a-zA-Z]")


class DropLineBreaks(Extension):
    """Drops line breaks beside tags, expressions and blocks when a template is compiled.

    The texts of ``trans`` blocks stay as they are: Jinja's ``ext.i18n.trimmed`` is their rule.
    """

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        """Yield the tokens of a template, its data without needless line breaks."""
        scanner = _Scanner()
        is_translated = False
        for token in stream:
            if token.type == "data":
                text = scanner.scan(token.value, stream.current.type == "block_begin")
                yield token if is_translated else Token(token.lineno, "data", text)
                continue
            if token.test("name:trans") or token.test("name:endtrans"):
                is_translated = token.value == "trans"
            yield token


class _Scanner:
    """Remembers between pieces of a template's text whether it is inside a tag or a value."""

    def __init__(self) -> None:
        self._in_tag = False
        self._quote = ""

    def scan(self, data: str, is_before_block: bool) -> str:
        """Return the data between two expressions or blocks without needless line breaks."""
        parts = PART.findall(data)
        last = len(parts) - 1
        return "".join(
            self._break(parts[i - 1 : i + 2] if i else [], is_before_block and i == last)
            if "\n" in part and part.isspace()
            else self._other(part)
            for i, part in enumerate(parts)
        )

    def _break(self, around: list[str], is_before_block: bool) -> str:
        """Return the text that replaces a line break in the page.

        Args:
            around: The parts before, at and after it; fewer at an end of the data.
        """
        if self._in_tag and not self._quote:
            return "" if is_before_block else " "
        if len(around) < 3 or self._is_border(around[0]) or self._is_border(around[2]):
            return ""
        return "\n"

    def _is_border(self, part: str) -> bool:
        """Return True for a tag beside a text, and for a quotation mark around a value."""
        return part == self._quote if self._quote else part == ">" or part.startswith("<")

    def _other(self, part: str) -> str:
        if self._quote:
            self._quote = "" if part == self._quote else self._quote
        elif not self._in_tag:
            self._in_tag = TAG.match(part) is not None
        elif part == ">":
            self._in_tag = False
        elif part in "\"'":
            self._quote = part
        return part
