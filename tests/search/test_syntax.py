"""Parsing queries: what is understood, and what is said of the rest."""

import pytest
from hypothesis import given, strategies as st

from webapp.core.search.analyzer import analyze
from webapp.core.search.syntax import PARTS_MAX, VARIANTS_MAX, parse


@pytest.mark.parametrize(
    ("query", "reasons"),
    [
        ("heron", []),
        ('"grey heron" -kite OR stork', ["or"]),
        ("kite OR heron", []),
        ("kite OR min_likes:5", ["or"]),
        ("min_likes:5 OR kite", []),
        ("foo:bar", ["operator"]),
        ("has:wings", ["value"]),
        ("since:yesterday", ["value"]),
        ("-since:2026-01-01", ["value"]),
        ("min_likes:-1", ["value"]),
        ("from:", ["missing"]),
        ("kite -FROM: ann", ["missing"]),
        ("note: a kite", []),
        ('"grey heron', ["quote"]),
        ('“grey heron" kite”', ["quote"]),
        ("...", ["nothing"]),
        ("heron " * (PARTS_MAX + 1), ["too_long"]),
        ("x" * 600, ["too_long"]),
        (" ".join(f'"wf ls too she say {n}"' for n in range(20)), ["too_long"]),
    ],
)
def test_problems_are_named(query: str, reasons: list[str]) -> None:
    assert [problem.reason for problem in parse(query).problems] == reasons


@given(st.text(max_size=700))
def test_any_text_can_be_searched(text: str) -> None:
    query = parse(text)
    assert sum(len(clause.variants) for clause in query.plan.clauses) <= VARIANTS_MAX
    assert query.plan.encode()


@given(
    st.lists(
        st.sampled_from(["OR", "-", '"', "from:", "has:", "kite", "#", "@", "：", "“", "手机", ":"])
    )
)
def test_any_mixture_of_signs_can_be_searched(parts: list[str]) -> None:
    for text in (" ".join(parts), "".join(parts)):
        assert parse(text).plan.encode()


def test_people_are_searched_by_words_alone() -> None:
    query = parse("ann OR bob -cat from:dan has:media")
    negated = [clause.negated for clause in query.people_plan.clauses]
    assert negated == [False, True]
    assert parse("from:ann has:media").people_plan.is_empty


def test_a_word_of_200_000_letters_is_looked_through_once() -> None:
    assert "dont" in analyze(["a" * 200_000 + " don't"], "en").terms
