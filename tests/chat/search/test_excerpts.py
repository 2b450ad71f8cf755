"""The part of a message that is shown among results."""

from __future__ import annotations

from webapp.chat.search.excerpts import EXCERPT_MAX, excerpt


def test_a_short_message_is_shown_whole_on_one_line() -> None:
    assert excerpt("a kite\n\nin  the reeds", "nothing") == "a kite in the reeds"


def test_a_long_message_is_shown_around_the_first_word_that_was_searched_for() -> None:
    text = "hm " * 200 + "a Heron in the reeds " + "hm " * 200
    shown = excerpt(text, "HERON from:ann")
    assert "a Heron in the reeds" in shown
    assert shown.startswith("…hm ")
    assert shown.endswith("…")
    assert len(shown) == EXCERPT_MAX + 2


def test_a_long_message_without_the_words_is_shown_from_its_beginning() -> None:
    assert excerpt("a" * 300, "heron") == "a" * EXCERPT_MAX + "…"
    assert excerpt("", "heron") == ""
