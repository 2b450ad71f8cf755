"""The detected language of a text."""

import pytest

from webapp.core.i18n.language_detection import detect
from webapp.core.text.parser import extract


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("Does anybody know a quiet feeder near the allotments?", "en"),
        ("今天在胡同口捡到半块烧饼", "zh"),
        ("下雨了", "zh"),
        ("A wren sings 唱歌的麻雀", "zh"),
        ("こんにちは、今日はいい天気ですね", "ja"),
        ("안녕하세요 여러분", "ko"),
        ("Guten Morgen! Heute regnet es den ganzen Tag.", "de"),
        ("Доброе утро всем, кто уже проснулся", "ru"),
        ("Buongiorno a tutti", "it"),
        ("בוקר טוב לכולם", "he"),
        ("今日は Redis の話", "ja"),
        ("The character 水 means water in Chinese and Japanese", "en"),
        ("ok then", ""),
        ("\x00\uffff abc def ghi", ""),
        ("a" * 60_000, ""),
        ("12:30", ""),
        ("🌻🌻🌻", ""),
        ("@wren https://example.org/a-long-english-title-here", ""),
    ],
)
def test_the_language_of_a_text_is_detected(text: str, lang: str) -> None:
    assert detect(text, extract(text)) == lang
