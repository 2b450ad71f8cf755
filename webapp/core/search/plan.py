"""The plan of a query for an index, and the terms of a text besides its words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import quote, unquote, urlsplit

import orjson

from webapp.core.store.ids import MAX_ID
from webapp.core.text.parser import Entity, href, segments, tag_names

from .analyzer import Variant

PATH_PARTS_MAX = 4  # of a link: `example.org/a/b` is found by `example.org/a` too
ADDRESS_MAX = 200  # characters of an address; the rest is cut
HOST_PARTS_MAX = 5  # of a link: `a.b.example.org` is found by `example.org` too


def without_links(text: str, entities: Iterable[Entity]) -> str:
    """Return a text with a space for each of its links."""
    return "".join(
        " " if entity and entity.kind == "url" else run for run, entity in segments(text, entities)
    )


def entity_facts(entities: Sequence[Entity]) -> Iterable[str]:
    """Yield the terms of the hashtags, members, stocks and links of a text."""
    for name in tag_names(entities):
        yield f"#{name}"
    for entity in entities:
        if entity.kind == "mention":
            yield f"mentions={entity.text.lower()}"
        elif entity.kind == "cashtag":
            yield f"${entity.text.lower()}"
        elif entity.kind == "url":
            yield "has=link"
            yield from (f"url={address}" for address in _addresses(entity.text))


def link_address(url: str) -> str:
    """Return the longest address that a link is found by; "" if the link has no domain.

    It has the host without `www`, PATH_PARTS_MAX parts of the path, and the query.
    """
    host, parts = _host_and_parts(url)
    return f"{host}{''.join(parts)}"[:ADDRESS_MAX] if "." in host else ""


def _addresses(url: str) -> Iterable[str]:
    """Yield a link's host, the domains that it belongs to, and the host with parts of the path."""
    host, parts = _host_and_parts(url)
    names = host.split(".")[-HOST_PARTS_MAX:]
    for start in range(len(names) - 1):
        yield ".".join(names[start:])
    for end in range(1, len(parts) + 1):
        yield f"{host}{''.join(parts[:end])}"[:ADDRESS_MAX]


def _host_and_parts(url: str) -> tuple[str, list[str]]:
    """Return a link's host, and the parts of its path and the query, folded and without spaces."""
    try:
        link = urlsplit(href(url))
        host = (link.hostname or "").removeprefix("www.")
    except ValueError:
        return "", []
    path = [f"/{_fold(part)}" for part in link.path.split("/") if part]
    return host, path[:PATH_PARTS_MAX] + ([f"?{_fold(link.query)}"] if link.query else [])


def _fold(part: str) -> str:
    return quote(unquote(part), safe="=&+@,;~!*'()$").lower()


@dataclass(frozen=True, slots=True)
class Clause:
    """A condition: any of `variants` matches, or none of them if it is `negated`."""

    variants: tuple[Variant, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """All conditions of a query.

    `minimums`: the least likes or boosts. Ids go from `oldest` to `newest`, both included.
    """

    clauses: tuple[Clause, ...] = ()
    minimums: tuple[tuple[str, int], ...] = ()
    oldest: int = 0
    newest: int = MAX_ID

    @property
    def is_empty(self) -> bool:
        """Return True if it asks for nothing, so that everything would match."""
        return not self.clauses and not self.minimums and (self.oldest, self.newest) == (0, MAX_ID)

    def encode(self) -> bytes:
        """Return the clauses and minimums as JSON, for the script."""
        clauses = [
            {
                "negated": clause.negated,
                "variants": [
                    {"terms": variant.terms, "phrase": variant.phrase}
                    for variant in clause.variants
                ],
            }
            for clause in sorted(self.clauses, key=lambda clause: clause.negated)
        ]
        return orjson.dumps({"clauses": clauses, "minimums": self.minimums})

    def with_clauses(self, *clauses: Clause) -> Plan:
        """Return a copy with more conditions."""
        return Plan((*self.clauses, *clauses), self.minimums, self.oldest, self.newest)


NO_PLAN = Plan()


def fact(*terms: str) -> Clause:
    """Return the condition that a document has one of these terms."""
    return Clause(tuple(Variant((term,)) for term in terms))


def any_of(clauses: Sequence[Clause]) -> Clause:
    """Return the condition that any of these conditions holds, none of which is negated."""
    return Clause(tuple(variant for clause in clauses for variant in clause.variants))
