"""Queries in chats: their operators, and their plans for the index of each chat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import orjson

from webapp.accounts import store as accounts
from webapp.chat.documents import LANGUAGE
from webapp.core.search.analyzer import Variant
from webapp.core.search.operators import OPERATORS, choice
from webapp.core.search.plan import Plan
from webapp.core.search.syntax import PART, Query, parse
from webapp.core.store import Read, collect, created_at
from webapp.core.store.ids import MAX_ID
from webapp.core.text.folding import TOKEN

CHAT_OPERATORS = {
    **{name: OPERATORS[name] for name in ("from", "mentions", "url", "since", "until")},
    "has": choice("has", "media", "link"),
    "is": choice("is", "reply"),
}
AUTHOR = "from="
IN_LANGUAGE = f"lang={LANGUAGE}"


@dataclass(frozen=True, slots=True)
class ChatPlan:
    """The conditions of a query as JSON, and the unix ms between which messages were sent."""

    clauses: bytes
    since: int | None = None
    until: int | None = None


def parse_query(text: str) -> Query:
    """Parse a query in chats. It never fails: see `Query.problems`."""
    return parse(text, CHAT_OPERATORS)


def query_words(query: Query) -> list[str]:
    """Return the words of a query that a match has, without those of operators."""
    return [
        word
        for part in PART.finditer(query.text)
        if not part["minus"] and part["word"] != "OR"
        if (part["name"] or "").lower() not in {*CHAT_OPERATORS, "http", "https"}
        for word in TOKEN.findall(part[0])
    ]


def chat_plan(plan: Plan) -> Read[ChatPlan]:
    """Read the members that a plan names, and return the plan for each chat."""
    logins = sorted(
        term.removeprefix(AUTHOR)
        for clause in plan.clauses
        for variant in clause.variants
        for term in variant.terms
        if term.startswith(AUTHOR)
    )
    since = _unix_ms(plan.oldest) if plan.oldest else None
    until = _unix_ms(plan.newest + 1) if plan.newest < MAX_ID else None

    def parse_uids(uids: Sequence[int | None]) -> ChatPlan:
        by_login = {login: uid or 0 for login, uid in zip(logins, uids, strict=True)}
        return ChatPlan(_encode(plan, by_login), since, until)

    return collect(map(accounts.claimed_uid, logins)).map(parse_uids)


def _encode(plan: Plan, uids: Mapping[str, int]) -> bytes:
    return orjson.dumps(
        [
            {
                "negated": clause.negated,
                "variants": [
                    _variant(variant, uids) for variant in clause.variants if _is_possible(variant)
                ],
            }
            for clause in plan.clauses
        ]
    )


def _is_possible(variant: Variant) -> bool:
    """Return False for stop words of another language: no message is in it."""
    return not any(term.startswith("lang=") and term != IN_LANGUAGE for term in variant.terms)


def _variant(variant: Variant, uids: Mapping[str, int]) -> dict[str, object]:
    """Return a variant as the script takes it. An author is found in the records alone."""
    first = next(iter(variant.terms), "")
    if first.startswith(AUTHOR):
        return {"terms": [], "phrase": f" by={uids[first.removeprefix(AUTHOR)]} "}
    terms = [term for term in variant.terms if term != IN_LANGUAGE]
    return {"terms": terms, "phrase": variant.phrase}


def _unix_ms(status_id: int) -> int:
    """Return the time of an id, as the operators `since` and `until` make them."""
    return round(created_at(status_id).timestamp() * 1000)
