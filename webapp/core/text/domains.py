"""Domains in texts: which runs of labels end in a top-level domain."""

import re
import runpy
from collections.abc import Iterator
from importlib.metadata import distribution

from .rules import PUNCTUATION, SPACES

MAX_LABEL = 63  # octets between two dots of a domain

Span = tuple[int, int]  # code points: start, end (exclusive)

# Labels are in any script, without punctuation, spaces, forbidden characters and directional marks.
NOT_IN_LABEL = (
    rf"{PUNCTUATION}{SPACES}\ufffe\ufeff\uffff\u202a-\u202e\u061c\u200e\u200f\u2066-\u2069"
)
NOT_BEFORE = r"(?<![A-Za-z0-9@\uff20$#\uff03\ufffe\ufeff\uffff])"


def find_domains(text: str, first: int, stop: int) -> Iterator[Span]:
    """Yield the widest domains in the host characters text[first:stop], in any script."""
    labels = _labels(text, first, stop)
    tld_ends = [0] + [tld_end_at(text, begin) for begin, _ in labels[1:]]
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


def tld_end_at(text: str, begin: int) -> int:
    """Return the end of the top-level domain at text[begin:], 0 without one."""
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


def is_dns_label(label: str) -> bool:
    """Return True if a label has a length that the DNS allows, in punycode if need be."""
    if label.isascii():
        return 0 < len(label) <= MAX_LABEL
    # Encoding takes quadratic time, so the length is checked first.
    short = not label.startswith("xn--") and len(label) <= MAX_LABEL
    return short and len(b"xn--" + label.encode("punycode")) <= MAX_LABEL


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


_DOT = re.compile(r"\.")
_START = re.compile(rf"{NOT_BEFORE}[^{NOT_IN_LABEL}]")
_TOP_LEVEL_DOMAINS = _top_level_domains()
_TOP_CANDIDATE = re.compile(rf"[^{NOT_IN_LABEL}]{{2,{max(map(len, _TOP_LEVEL_DOMAINS))}}}+")
_STILL_IN_NAME = re.compile("[0-9A-Za-z@+-]")
_PUNYCODE = re.compile("xn--[-0-9a-z]++", re.I)
