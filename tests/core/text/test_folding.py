"""Folding: what counts as the same text for hashtags, filters, completion, search and streams."""

import pytest
from hypothesis import given, strategies as st

from webapp.core.text.folding import fold


@pytest.mark.parametrize(
    ("written", "folded"),
    [
        ("Birds", "birds"),
        ("ＢＩＲＤＳ　１２", "birds 12"),
        ("ｶﾞﾗｽ", "ガラス"),
        ("Straße", "strasse"),
        ("ΟΔΟΣ ὁδός", "οδοσ ὁδόσ"),
        ("İSTANBUL", "istanbul"),
        ("I\u0307stanbul", "istanbul"),
        ("İ\u0307\u0307stanbul", "istanbul"),
        ("ısırgan", "ısırgan"),
        ("naïve", "naïve"),
        ("nai\u0308ve", "naïve"),
        ("co\xadoperate", "cooperate"),
        ("می\u200cپرد", "میپرد"),
        ("क्\u200dष", "क्ष"),
        ("☀\ufe0f ☀\ufe0e ☀", "☀ ☀ ☀"),
        ("葛\U000e0100城", "葛城"),
        ("\u200fשלום\u200e", "שלום"),
        ("don’t don‘t donʼt don＇t don´t don′t", "don't " * 5 + "don't"),
        ("“a” „b‟ «c» ＂d＂", '"a" "b" "c" "d"'),
        ("צה״ל ג׳ירפה", "צה\"ל ג'ירפה"),
        ("Linnet™", "linnet tm"),
        ("ไทย\u200bภาษา", "ไทย\u200bภาษา"),
    ],
)
def test_spellings_of_one_text_are_folded_to_one(written: str, folded: str) -> None:
    assert fold(written) == folded


def test_flags_of_regions_stay_different() -> None:
    england = "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
    scotland = "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"
    assert fold(england) != fold(scotland) != fold("🏴")


@given(st.text() | st.text(st.sampled_from("iIİı\u0307\u0345ŉ‴´™ͺᾳΣς\u200d\ufe0f’ﬃ①\u0323")))
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)
