"""Test folding names and what members type into words."""

import pytest
from hypothesis import example, given, strategies as st

from webapp.autocomplete.words import WORD_MAX, WORDS_MAX, name_prefix, tag_prefix, words_of


@pytest.mark.parametrize(
    ("login", "name", "words"),
    [
        ("Ann", "Ann Smith", {"ann", "smith"}),
        ("wang_xm", "王小明", {"wang_xm", "王小明", "小明", "明"}),
        ("ben", "ＢＥＮ the 🦆 Straße", {"ben", "the", "strasse"}),
        ("x", "Élodie O’Neill", {"x", "élodie", "o", "neill"}),
        ("x", "", {"x"}),
    ],
)
def test_a_member_has_the_words_of_login_and_name(login: str, name: str, words: set[str]) -> None:
    assert set(words_of(login, name)) == words


@given(st.from_regex(r"[A-Za-z0-9_]{1,15}", fullmatch=True), st.text(max_size=50))
@example("ann", "王明" * 25)
def test_words_are_few_short_and_without_blanks_and_begin_with_the_login(
    login: str, name: str
) -> None:
    words = words_of(login, name)
    assert words[0] == login.lower()
    assert len(set(words)) == len(words) <= WORDS_MAX
    assert all(0 < len(word) <= WORD_MAX and not word.split()[1:] for word in words)


@given(st.text(max_size=60), st.integers(1, 20))
def test_each_beginning_of_a_word_is_a_prefix_that_finds_it(name: str, size: int) -> None:
    for word in words_of("a", name):
        prefix = name_prefix(word[:size])
        assert prefix is not None and word.startswith(prefix)


@pytest.mark.parametrize(
    "typed", ["a b", "a@", "-", "a" * 31, "a" * 100_000, "\0", "a\n", "\ud800"]
)
def test_what_no_name_can_begin_with_is_no_prefix(typed: str) -> None:
    assert name_prefix(typed) is None


@pytest.mark.parametrize(
    ("typed", "prefix"),
    [("", ""), ("Dawn", "dawn"), ("２０２６", "2026"), ("观", "观"), ("a b", "ab"), ("-", None)],
)
def test_the_beginning_of_a_hashtag_is_folded(typed: str, prefix: str | None) -> None:
    assert tag_prefix(typed) == prefix


@pytest.mark.parametrize("typed", ["!" * 401, "a" * 101, "a" * 100_000, " ", "\ud800"])
def test_what_no_hashtag_can_begin_with_is_no_prefix(typed: str) -> None:
    assert tag_prefix(typed) is None
