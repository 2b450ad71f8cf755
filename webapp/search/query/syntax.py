"""Parse what members type into the search box.

A query is words, "phrases" and operators such as `from:ann`. All must hold. `OR` between two of
them means either, `-` before one means that it must not hold. A part that cannot be understood is
searched as words, and is named beside the box.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

import regex

from webapp.core.text.parser import tag_name
from webapp.search.index.analyzer import variants

from .operators import OPERATORS, BadValue, Bounds
from .plan import NO_PLAN, Clause, Plan, any_of, fact

QUERY_MAX = 500  # characters
PARTS_MAX = 20  # words, phrases and operators; the rest is left out
PART = regex.compile(
    r"""(?V1)
    (?P<minus>-)? (?: "(?P<phrase>[^"]*)"
    | (?P<name>[A-Za-z_]+):(?: "(?P<quoted>[^"]*)" | (?P<value>[^\s"]+) )
    | (?P<word>[^\s"]+) )""",
    regex.VERBOSE,
)
QUOTES = str.maketrans("“”„«»：　", '""""": ')


@dataclass(frozen=True, slots=True)
class Problem:
    """A part of a query that was searched in another way: its text, and why.

    `reason`: `operator` (there is none of this name), `value`, `too_long`, `nothing` (no letters).
    """

    reason: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query. `words`: its plain words and phrases, for searching people and hashtags."""

    text: str
    plan: Plan = NO_PLAN
    words: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


@dataclass(slots=True)
class _State:
    """A query while it is parsed. `languages`: whose stop words its words may be."""

    languages: tuple[str, ...]
    clauses: list[Clause] = field(default_factory=list)
    bounds: Bounds = field(default_factory=Bounds)
    words: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    joins: bool = False  # an OR stands before the next part


def parse(text: str, languages: Iterable[str] = ("en",)) -> Query:
    """Parse a query. It never fails: see `Query.problems`."""
    cleaned = " ".join(text.translate(QUOTES).split())
    state = _State(tuple(dict.fromkeys(languages)))
    if len(cleaned) > QUERY_MAX:
        state.problems.append(Problem("too_long"))
        cleaned = cleaned[:QUERY_MAX]
    parts = list(PART.finditer(cleaned))
    if len(parts) > PARTS_MAX:
        state.problems.append(Problem("too_long"))
    for part in parts[:PARTS_MAX]:
        if part["word"] == "OR" and not part["minus"]:
            state.joins = True
        else:
            _add_part(state, part.groupdict(), part[0])
    bounds = state.bounds
    plan = Plan(tuple(state.clauses), bounds.minimums, bounds.oldest, bounds.newest)
    problems = tuple(dict.fromkeys(state.problems))
    return Query(cleaned, plan, tuple(state.words), problems)


def words_plan(query: Query) -> Plan:
    """Return the plan of a query's plain words and phrases alone, each of them in any place."""
    words = (word for word in query.words if _has_words(word))
    return Plan(tuple(Clause(variants(word, ())) for word in words))


def _add_part(state: _State, part: dict[str, str | None], text: str) -> None:
    """Add a part as what it says, else as words."""
    negated = bool(part["minus"])
    if part["name"]:
        value = part["quoted"] if part["value"] is None else part["value"]
        if _add_operator(state, part["name"].lower(), value or "", negated, text):
            return
    sigil = (part["word"] or "")[:1]
    clause = _sigil_clause(sigil, (part["word"] or "")[1:])
    if clause is None:
        words = part["phrase"] if part["phrase"] is not None else text.removeprefix("-")
        clause = Clause(variants(words, state.languages)) if _has_words(words) else None
        if clause is None:
            state.problems.append(Problem("nothing", text))
            return
    if not negated:
        state.words.append(text.strip('"').lstrip("@#"))
    _add_clause(state, replace(clause, negated=negated))


def _add_operator(state: _State, name: str, value: str, negated: bool, text: str) -> bool:
    """Add an operator. Return False if it is none, and is to be searched as words."""
    if name in ("http", "https"):
        return False
    operator: Callable[[str, Bounds], Clause | Bounds] | None = OPERATORS.get(name)
    if operator is None:
        state.problems.append(Problem("operator", text))
        return False
    try:
        meaning = operator(value, state.bounds)
    except BadValue:
        meaning = None
    if meaning is None or (negated and isinstance(meaning, Bounds)):
        state.problems.append(Problem("value", text))
        return False
    if isinstance(meaning, Bounds):
        state.bounds = meaning
    else:
        _add_clause(state, replace(meaning, negated=negated))
    return True


def _add_clause(state: _State, clause: Clause) -> None:
    """Add a condition, or join it with the one before an OR. Negated ones are never joined."""
    joins, state.joins = state.joins, False
    if joins and state.clauses and not clause.negated and not state.clauses[-1].negated:
        state.clauses[-1] = any_of((state.clauses[-1], clause))
    else:
        state.clauses.append(clause)


def _sigil_clause(sigil: str, name: str) -> Clause | None:
    """Return the condition of `#tag`, `@name` and `$CASH`; None if it is none of them."""
    if sigil == "#" and (tag := tag_name(name)):
        return fact(f"#{tag}")
    if sigil == "@" and regex.fullmatch(r"\w+", name):
        return fact(f"mentions={name.lower()}", f"from={name.lower()}")
    if sigil == "$" and regex.fullmatch(r"\p{L}{1,6}", name):
        return fact(f"${name.lower()}")
    return None


def _has_words(text: str) -> bool:
    return regex.search(r"[\p{L}\p{N}]", text) is not None
