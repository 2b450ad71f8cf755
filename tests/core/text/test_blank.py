"""What draws nothing, stacks of marks, and empty lines."""

import unicodedata

import pytest
from hypothesis import given, strategies as st

from webapp.core.text.cleaning import clean_bio, clean_line, clean_name
from webapp.core.text.parser import Unacceptable, is_blank, parse, weight

# fmt: off
NOTHING = [
    "", " \n\t ", "\u3000", "\xa0", "\u2028", "\u200b", "\u2060", "\xad", "\u034f", "\u061c",
    "\u200e", "\u3164", "\uffa0", "\u115f\u1160", "\u17b4", "\u180e", "\ufe0f", "\u200d", "\u2800",
    "\u0301", "\u20e3", "\u0e31", "\u093e", "\U000e0041", "\U000e0100", "\U0001d159", "\U0001d173",
    "\U00013441", "\ufff9", "\ufdd0", "\u200d\ufe0f\u2800\u0301\u3164",
]
SOMETHING = [
    "a", ".", "1\u20e3", "e\u0301", "한", "\u1100", "⣿", "␠", "∅", "🐦", "❤\ufe0f", "\u0600",
    "\u06dd", "\U0001f1e6", "🏽", "\ue000", "\u2800a", "\ufffd", "กำ",
]
# The most marks that a letter has, in Hebrew, Thai, Vietnamese, Tibetan, Devanagari and emoji.
WITH_MARKS = [
    "בְּ֭רֵאשִׁ֖ית", "ปี่ กุ๊ก", "Việt Nam thuở ấy", "ཧྐྵྨླྺྼྻྂ", "क्ष्म्यै", "ﷺ", "👩‍❤️‍💋‍👨", "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    "1️⃣", "🏳️‍⚧️", "👨🏽‍👩🏽‍👧🏽",
]
# fmt: on


@pytest.mark.parametrize("text", NOTHING)
def test_text_that_draws_nothing_is_empty_everywhere(text: str) -> None:
    assert is_blank(text)
    assert clean_line(text, 50) == clean_bio(text, 50) == ""
    for refuse in (parse, lambda text: clean_name(text, 50)):
        with pytest.raises(Unacceptable) as error:
            refuse(text.replace("\ufff9", "\u200b"))
        assert error.value.reason == "empty"
    assert parse(text, is_required=False).text == ""


@pytest.mark.parametrize("text", SOMETHING)
def test_text_that_draws_something_is_not_empty(text: str) -> None:
    assert not is_blank(text)
    assert parse(text).text == clean_name(text, 50) == unicodedata.normalize("NFC", text)


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("a\nb", "a\nb"),
        ("a\n\nb", "a\n\nb"),
        ("a" + "\n" * 270 + "b", "a\n\nb"),
        ("a\r\n\r\n\r\nb\r\r\rc", "a\n\nb\n\nc"),
        ("a\n \n\t\n  b", "a\n\n  b"),
        ("a\n\u200b\n\u2800\n\u3164\nb", "a\n\nb"),
        ("a\u2028\u2029\u2028b", "a\n\nb"),
        ("\n\n\na\n\n\n", "a"),
        ("a\n.\n.\nb", "a\n.\n.\nb"),
    ],
)
def test_one_empty_line_is_kept(written: str, stored: str) -> None:
    assert parse(written).text == stored
    assert parse(written).weight == len(stored)
    assert clean_bio(written, 160) == stored.replace("  ", "")


@pytest.mark.parametrize("text", WITH_MARKS)
def test_marks_that_writing_needs_are_kept(text: str) -> None:
    composed = unicodedata.normalize("NFC", text)
    assert parse(text).text == clean_name(text, 50) == composed


def test_a_letter_keeps_eight_marks() -> None:
    assert parse("q" + "\u0301" * 40 + "!").text == "q" + "\u0301" * 8 + "!"
    assert parse("q" + "\u0301\u200d" * 40 + "!").text == "q" + "\u0301\u200d" * 7 + "\u0301\u200d!"
    assert clean_name("a" + "\u0489" * 40, 20) == "a" + "\u0489" * 8
    assert weight("q" + "\u0301" * 40) == 9


@given(
    st.text(st.sampled_from("a\n \u0301\u200d\u20e3\ufe0f\u2800\r\u2028é\u1161\u1100"), max_size=60)
)
def test_what_is_stored_stays_as_it_is(text: str) -> None:
    stored = parse(text, is_required=False)
    assert parse(stored.text, is_required=False) == stored
    assert "\n\n\n" not in stored.text
    bio = clean_bio(text, 200)
    assert clean_bio(bio, 200) == bio
