"""The part of a message that is shown among results."""

import pytest

from webapp.chat.search.query import parse_query, query_words
from webapp.chat.search.views import EXCERPT_MAX, excerpt


def test_a_short_message_is_shown_whole_on_one_line() -> None:
    assert excerpt("a kite\n\nin  the reeds", ["nothing"]) == "a kite in the reeds"


def test_a_long_message_is_shown_around_the_first_word_that_was_searched_for() -> None:
    text = "from " + "hm " * 200 + "a Heron in the reeds " + "hm " * 200
    shown = excerpt(text, query_words(parse_query("HERON from:ann")))
    assert "a Heron in the reeds" in shown
    assert shown.startswith("…hm ")
    assert shown.endswith("…")
    assert len(shown) == EXCERPT_MAX + 2


def test_places_hold_where_a_folded_letter_is_longer() -> None:
    shown = excerpt("ß " * 200 + "Heron " + "hm " * 200, ["heron"])
    assert shown.startswith("…" + "ß " * 29 + "Heron")


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("from:ann heron", ["heron"]),
        ('-toy "red kite" OR 天空', ["red", "kite", "天空"]),
        ("https://example.org/a has:link #marsh", ["marsh"]),
        ("min_likes:3", ["min_likes", "3"]),
    ],
)
def test_words_of_a_query_are_those_that_a_match_has(query: str, words: list[str]) -> None:
    assert query_words(parse_query(query)) == words


def test_a_long_message_without_the_words_is_shown_from_its_beginning() -> None:
    assert excerpt("a" * 300, ["heron"]) == "a" * EXCERPT_MAX + "…"
    assert excerpt("", ["heron"]) == ""
