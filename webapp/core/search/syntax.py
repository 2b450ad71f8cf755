"""Parse the text that members type into the search box.

A query is words, "phrases" and operators such as `from:ann`. All must hold. `OR` between two of
them means either, `-` before one means that it must not hold. A part that cannot be understood is
searched as words, and is named beside the box.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import regex

from webapp.core.text.parser import tag_name

from .analyzer import variants
from .operators import OPERATORS, BadValue, Bounds, Operator
from .plan import NO_PLAN, Clause, Plan, any_of, fact, link_address

QUERY_MAX = 500  # characters
PARTS_MAX = 20  # words, phrases and operators; the rest is left out
PART = regex.compile(
    r"""(?V1)
    (?P<minus>-)? (?: "(?P<phrase>[^"]*)"
    | (?P<name>[A-Za-z_]+):(?: "(?P<quoted>[^"]*)" | (?P<value>[^\s"]+) )
    | (?P<word>[^\s"]+) )""",
    regex.VERBOSE,
)
ADDRESS = regex.compile(r"[^\s/?#:]+\.\p{L}{2,}(?:[/?]\S*)?")  # without a scheme
VARIANTS_MAX = 100  # ways in which the parts may appear in a post, all added up
SIGNS = str.maketrans("“”„«»：＠＃　", '""""":@# ')


@dataclass(frozen=True, slots=True)
class Problem:
    """A part of a query that was searched in another way: its text, and why.

    `reason`: `operator` (there is none of this name), `value`, `missing` (an operator without a
    value), `quote` (it is not closed), `too_long`, `nothing` (no letters), `or` (it cannot be
    joined).
    """

    reason: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query. `people_plan`: its plain words and phrases alone, for searching people."""

    text: str
    plan: Plan = NO_PLAN
    people_plan: Plan = NO_PLAN
    problems: tuple[Problem, ...] = ()


@dataclass(slots=True)
class _State:
    """A query while it is parsed. `word_clauses`: the conditions of plain words and phrases."""

    operators: Mapping[str, Operator]
    clauses: list[Clause] = field(default_factory=list)
    word_clauses: list[Clause] = field(default_factory=list)
    bounds: Bounds = field(default_factory=Bounds)
    problems: list[Problem] = field(default_factory=list)
    joins: bool = False  # an OR precedes the next part


def parse(text: str, operators: Mapping[str, Operator] = OPERATORS) -> Query:
    """Parse a query with the `operators` of a place. It never fails: see `Query.problems`."""
    cleaned = " ".join(text.translate(SIGNS).split())
    state = _State(operators)
    if len(cleaned) > QUERY_MAX:
        state.problems.append(Problem("too_long"))
        cleaned = cleaned[:QUERY_MAX]
    if cleaned.count('"') % 2:
        state.problems.append(Problem("quote"))
    parts = list(PART.finditer(cleaned))
    if len(parts) > PARTS_MAX:
        state.problems.append(Problem("too_long"))
    for part in parts[:PARTS_MAX]:
        if part["word"] == "OR" and not part["minus"]:
            state.joins = True
        else:
            _add_part(state, part.groupdict(), part[0])
            state.joins = False
    bounds = state.bounds
    plan = Plan(tuple(state.clauses), bounds.minimums, bounds.oldest, bounds.newest)
    problems = tuple(dict.fromkeys(state.problems))
    return Query(cleaned, plan, Plan(tuple(state.word_clauses)), problems)


def _add_part(state: _State, part: dict[str, str | None], text: str) -> None:
    """Add a part by its meaning, else as words."""
    negated = bool(part["minus"])
    if part["name"]:
        value = part["quoted"] if part["value"] is None else part["value"]
        if _add_operator(state, part["name"].lower(), value or "", negated, text):
            return
    word = part["word"] or ""
    if word.endswith(":") and word[:-1].lower() in state.operators:
        state.problems.append(Problem("missing", word))
        return
    words = part["phrase"] if part["phrase"] is not None else text.removeprefix("-")
    clause = _sigil_clause(word[:1], word[1:]) or _link_clause(word)
    if not regex.search(r"[\p{L}\p{N}]", words):
        state.problems.append(Problem("nothing", text))
        return
    plain = Clause(variants(words), negated)
    _add_clause(state, replace(clause, negated=negated) if clause else plain, text)
    _join(state.word_clauses, plain, state.joins)


def _add_operator(state: _State, name: str, value: str, negated: bool, text: str) -> bool:
    """Add an operator. Return False if it is invalid; the caller searches for its text as words."""
    if name in ("http", "https"):
        name, value = "url", value.lstrip("/")
    operator = state.operators.get(name)
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
        if state.joins:
            state.problems.append(Problem("or", text))
    else:
        _add_clause(state, replace(meaning, negated=negated), text)
    return True


def _add_clause(state: _State, clause: Clause, text: str) -> None:
    """Add a condition, unless there are too many, or join it with the one before an OR."""
    total = sum(len(one.variants) for one in (*state.clauses, clause))
    if total > VARIANTS_MAX:
        state.problems.append(Problem("too_long"))
        return
    if not _join(state.clauses, clause, state.joins):
        state.problems.append(Problem("or", text))


def _join(clauses: list[Clause], clause: Clause, joins: bool) -> bool:
    """Add a condition, or join it with the last one. Return False where OR cannot join them."""
    if joins and clauses and not clause.negated and not clauses[-1].negated:
        clauses[-1] = any_of((clauses[-1], clause))
        return True
    clauses.append(clause)
    return not (joins and len(clauses) > 1)


def _sigil_clause(sigil: str, name: str) -> Clause | None:
    """Return the condition of `#tag`, `@name` and `$CASH`; None for other words."""
    if sigil == "#" and (tag := tag_name(name)):
        return fact(f"#{tag}")
    if sigil == "@" and regex.fullmatch(r"\w+", name):
        return fact(f"mentions={name.lower()}", f"from={name.lower()}")
    if sigil == "$" and regex.fullmatch(r"\p{L}{1,6}", name):
        return fact(f"${name.lower()}")
    return None


def _link_clause(word: str) -> Clause | None:
    """Return the condition of a web address: a link to it, or its words; None for other words."""
    if not ADDRESS.fullmatch(word) or not (address := link_address(word)):
        return None
    return any_of((Clause(variants(word)), fact(f"url={address}")))
