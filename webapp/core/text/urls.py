"""Finds the URLs in a text by twitter-text v3's rules, in time linear in the text's length.

twitter-text states its rules as one backtracking pattern, which takes seconds on a hostile
"a.a.a.a...". Here the text is cut into runs of host characters, and each run into labels between
dots. One pass from the right finds for every label where a domain with that label ends.
"""

import re
import runpy
from collections.abc import Iterator
from importlib.metadata import distribution

from .rules import LATIN, PUNCTUATION, SPACES

MAX_LABEL = 63  # octets between two dots of a domain
MAX_SLUG = 40  # of a t.co URL

Span = tuple[int, int]  # code points: start, end (exclusive)


def find_urls(text: str) -> Iterator[Span]:
    """Yield the spans of the URLs in `text` in order, with or without a scheme. None overlap."""
    position, dot = 0, text.find(".")
    match_end = -1  # where the last match ends; one character before the next belongs to neither
    # Words before the one with the next dot are skipped.
    while dot >= 0 and (
        run := _HOST_RUN.search(text, max(position, text.rfind(" ", position, dot) + 1))
    ):
        position = run.end()
        for domain_start, end in _domains(text, max(run.start(), match_end + 1), run.end()):
            with_path, tail_end = _tail_end(text, end)
            scheme = (
                _SCHEME.search(text, max(0, domain_start - 8), domain_start)
                if domain_start == run.start()
                else None
            )
            with_scheme = scheme is not None and scheme.start() > match_end
            match_end, position = tail_end, max(position, tail_end)
            if not all(map(_is_dns_label, text[domain_start:end].split("."))):
                continue
            if scheme and with_scheme:
                yield from _with_scheme(text, scheme.start(), tail_end)
            elif domain_start == 0 or text[domain_start - 1] not in "-_./":
                for bare_start, bare_end in _without_scheme(text, domain_start, end):
                    yield bare_start, tail_end if with_path and bare_end == end else bare_end
        dot = text.find(".", position)


def _domains(text: str, first: int, stop: int) -> Iterator[Span]:
    """Yield the widest domains in the host characters text[first:stop], in any script."""
    labels = _labels(text, first, stop)
    tld_ends = [0] + [_tld_end(text, begin) for begin, _ in labels[1:]]
    domain_ends = _domain_ends(text, labels, tld_ends)
    next_free = first
    for i, (begin, end) in enumerate(labels[:-1]):
        domain_end = domain_ends[i + 1] or tld_ends[i + 1]
        earliest = max(begin, next_free)
        if not domain_ends[i + 1]:  # right before the top level, "_" is not allowed
            earliest = max(earliest, text.rfind("_", begin, end) + 1)
        if (
            domain_end
            and earliest < end
            and text[end - 1] not in "-_"
            and (start := _START.search(text, earliest, end))
        ):
            yield start.start(), domain_end
            next_free = domain_end + 1


def _labels(text: str, first: int, stop: int) -> list[Span]:
    dots = [dot.start() for dot in _DOT.finditer(text, first, stop)]
    return list(zip([first, *(dot + 1 for dot in dots)], [*dots, stop], strict=True))


def _tld_end(text: str, begin: int) -> int:
    """Return where the top-level domain at text[begin:] ends, 0 if there is none."""
    label = _TOP_CANDIDATE.match(text, begin)
    if not label:
        return 0
    name = label[0].lower()
    # In scripts without spaces, the sentence may go on right after the name.
    for size in range(len(name), 1, -1):
        if name[:size] in _TOP_LEVEL_DOMAINS and not _STILL_IN_NAME.match(text, begin + size):
            return begin + size
    punycode = _PUNYCODE.match(text, begin)
    return punycode.end() if punycode else 0


def _domain_ends(text: str, labels: list[Span], tld_ends: list[int]) -> list[int]:
    """Return for each label the end of the longest domain that holds it whole, 0 for none."""
    domain_ends = [0] * (len(labels) + 1)
    for i in range(len(labels) - 2, -1, -1):
        begin, end = labels[i]
        if begin < end and text[begin] not in "-_" and text[end - 1] not in "-_":
            domain_ends[i] = domain_ends[i + 1] or (
                0 if "_" in text[begin:end] else tld_ends[i + 1]
            )
    return domain_ends


def _tail_end(text: str, position: int) -> tuple[bool, int]:
    """Return whether a path follows the domain that ends here, and where path and query end."""
    if port := _PORT.match(text, position):
        position = port.end()
    path = _PATH.match(text, position)
    if path:
        # Punctuation at the end belongs to the sentence.
        position += len(path.group().rstrip("!*';:,.$%[]\u2013~@|&"))
    if query := _QUERY.match(text, position):
        position += len(query.group().rstrip("!?*'@();:+$%[].,~|"))
    return path is not None, position


def _is_dns_label(label: str) -> bool:
    """Return True if a label has a length that the DNS allows, in punycode if need be."""
    if label.isascii():
        return 0 < len(label) <= MAX_LABEL
    # Encoding takes quadratic time, so the length is checked first.
    short = not label.startswith("xn--") and len(label) <= MAX_LABEL
    return short and len(b"xn--" + label.encode("punycode")) <= MAX_LABEL


def _with_scheme(text: str, start: int, stop: int) -> Iterator[Span]:
    """Yield the URL with a scheme at text[start:stop]. A t.co URL ends after its slug and query."""
    short = _TCO.match(text, start, stop)
    if not short:
        yield start, stop
    elif len(short[1]) <= MAX_SLUG:
        yield start, short.end()


def _without_scheme(text: str, begin: int, end: int) -> Iterator[Span]:
    """Yield the Latin domains in a domain without a scheme: in scripts without spaces, text may
    stand around them.
    """
    for chain in _LATIN_CHAIN.finditer(text, begin, end):
        dot = text.rfind(".", chain.start(), chain.end())
        while dot > chain.start():
            if tld_end := _tld_end(text, dot + 1):
                yield chain.start(), tld_end
                break
            dot = text.rfind(".", chain.start(), dot)


def _top_level_domains() -> set[str]:
    """Return the names in twitter-text-parser's two lists.

    The two files are run by themselves: the whole package needs pkg_resources, which setuptools has
    dropped.
    """
    names: set[str] = set()
    for name in ("valid_gtld", "valid_cctld"):
        file = distribution("twitter-text-parser").locate_file(f"twitter_text/regexp/{name}.py")
        pattern: str = runpy.run_path(str(file))[name].pattern
        names.update(pattern.removeprefix("(?:(?:").partition(")")[0].split("|"))
    return names


# Labels are in any script, without punctuation, spaces, forbidden characters and directional marks.
_NOT_IN_LABEL = (
    rf"{PUNCTUATION}{SPACES}\ufffe\ufeff\uffff\u202a-\u202e\u061c\u200e\u200f\u2066-\u2069"
)
_NOT_BEFORE = r"(?<![A-Za-z0-9@\uff20$#\uff03\ufffe\ufeff\uffff])"
_IN_PATH = rf"[a-z\u0400-\u04ff0-9!*';:=+,.$/%#\[\]\-\u2013_~@|&{LATIN}]"
_IN_QUERY = r"[a-z0-9!?*'@();:&=+$/%#\[\]\-_.,~|]"

_DOT = re.compile(r"\.")
_HOST_RUN = re.compile(rf"(?:[^{_NOT_IN_LABEL}]|[-._])++")
_START = re.compile(rf"{_NOT_BEFORE}[^{_NOT_IN_LABEL}]")
_SCHEME = re.compile(rf"{_NOT_BEFORE}https?://\Z", re.I)
_TOP_LEVEL_DOMAINS = _top_level_domains()
_TOP_CANDIDATE = re.compile(rf"[^{_NOT_IN_LABEL}]{{2,{max(map(len, _TOP_LEVEL_DOMAINS))}}}+")
_STILL_IN_NAME = re.compile("[0-9A-Za-z@+-]")
_PUNYCODE = re.compile("xn--[-0-9a-z]++", re.I)
_LATIN_CHAIN = re.compile(rf"[-a-z0-9{LATIN}]++(?:\.[-a-z0-9{LATIN}]++)*+\.?", re.I)
_PORT = re.compile(r":[0-9]++")
# Brackets count as part of a path where they pair up, to a depth of two.
_PATH = re.compile(
    rf"/(?:{_IN_PATH}++|\((?:{_IN_PATH}++|{_IN_PATH}*+\({_IN_PATH}++\){_IN_PATH}*+)\))*+", re.I
)
_QUERY = re.compile(rf"\?{_IN_QUERY}++", re.I)
_TCO = re.compile(rf"https?://t\.co/([a-z0-9]++)(?:\?{_IN_QUERY}*[a-z0-9\-_&=#/])?", re.I)
