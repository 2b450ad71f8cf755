"""The patterns of words: the fast one for ASCII finds what the one for all texts finds."""

from hypothesis import given, strategies as st

from webapp.core.text.folding import ASCII_TOKEN, TOKEN


@given(st.text(st.characters(codec="ascii")))
def test_both_patterns_find_the_same_words_of_ascii(text: str) -> None:
    assert ASCII_TOKEN.findall(text) == TOKEN.findall(text)
