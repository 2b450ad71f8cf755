"""Match one document with a query, as the scripts do with the index."""

from webapp.core.search.plan import Plan
from webapp.search.index.documents import Document

COMMON = ("lang=", "has=", "is=")  # facts that very many documents share


def matches(plan: Plan, document: Document) -> bool:
    """Return True if a new document, which nobody has liked yet, is one that a query finds."""
    if not plan.oldest <= document.id <= plan.newest or any(least for _, least in plan.minimums):
        return False
    record = document.record
    return all(
        clause.negated
        != any(
            document.terms.issuperset(variant.terms) and variant.phrase in record
            for variant in clause.variants
        )
        for clause in plan.clauses
    )


def required_terms(plan: Plan) -> frozenset[str]:
    """Return terms of which every document has one that a query finds; none if it asks for none."""
    found = [
        frozenset(max(variant.terms, key=len) for variant in clause.variants)
        for clause in plan.clauses
        if not clause.negated and all(variant.terms for variant in clause.variants)
    ]
    return min(found, key=_cost, default=frozenset())


def _cost(terms: frozenset[str]) -> tuple[bool, int]:
    """Return a sort key: rare terms first, then few of them."""
    return any(term.startswith(COMMON) for term in terms), len(terms)
