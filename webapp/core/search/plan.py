"""The plan of a query for an index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import orjson

from webapp.core.store.ids import MAX_ID

from .analyzer import Variant


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
