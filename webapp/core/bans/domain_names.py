"""Find domains in texts, with their subdomains, as Unicode or in punycode."""

from collections.abc import Iterable, Iterator
from typing import Any, Final
from urllib.parse import urlsplit

import regex

from webapp.core.text.folding import fold

# Text without spaces may adjoin a host of ASCII letters, so it is looked for by itself.
# It begins where a label does, so that a long one is looked through once.
ASCII_HOST: Final[Any] = regex.compile(r"(?<![a-z0-9_-])[a-z0-9_-]++(?:\.[a-z0-9_-]++)++")
_LABEL = r"[\p{L}\p{M}\p{N}_-]"
HOST: Final[Any] = regex.compile(rf"(?<!{_LABEL}){_LABEL}++(?:\.{_LABEL}++)++")
LABEL: Final[Any] = regex.compile(r"[\p{L}\p{M}\p{N}]([\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?")
DOMAIN_MAX = 253  # characters


def clean_domain(raw: str) -> str:
    """Return the domain of a typed host or address, as Unicode; "" if it has none."""
    text = fold(raw.strip())
    try:
        host = urlsplit(text if "//" in text else f"//{text}").hostname or ""
        host = host.strip(".").removeprefix("*.").removeprefix("www.")
        host = fold(".".join(map(_as_unicode, host.split("."))))
    except ValueError:
        return ""
    labels = host.split(".")
    is_domain = len(labels) > 1 and len(host) <= DOMAIN_MAX and not labels[-1].isdigit()
    return host if is_domain and all(map(LABEL.fullmatch, labels)) else ""


def forms_of(domain: str) -> Iterable[str]:
    """Return a domain as Unicode, and in punycode."""
    try:
        return {domain, ".".join(map(_as_punycode, domain.split(".")))}
    except ValueError:
        return {domain}


def domains_in(folded: str) -> Iterator[str]:
    """Yield the domains in a folded text, each followed by those that it belongs to."""
    if "." not in folded:
        return
    hosts: set[str] = set(ASCII_HOST.findall(folded))
    if not folded.isascii():
        hosts.update(HOST.findall(folded))
    for host in hosts:
        labels = host.split(".")[-DOMAIN_MAX:]
        for start in range(len(labels) - 1):
            yield ".".join(labels[start:])


def _as_unicode(label: str) -> str:
    return label[4:].encode("ascii").decode("punycode") if label.startswith("xn--") else label


def _as_punycode(label: str) -> str:
    return label if label.isascii() else f"xn--{label.encode('punycode').decode('ascii')}"
