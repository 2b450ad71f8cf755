"""Sentences with names in them, and names of time zones."""

import pytest
from flask import Flask
from markupsafe import Markup

from webapp.core.i18n.formatting import fill_in_who, time_zone_name


@pytest.mark.parametrize(
    ("sentence", "who", "expected"),
    [
        ("%(who)s liked your post", "Ann", "Ann liked your post"),
        ("A poll by %(who)s has ended", "Ann", "A poll by Ann has ended"),
        ("Your bot is away", Markup("<a>Ann</a>"), "Your bot is away"),
        ("%(who)s 赞了你的动态", "Ann", "Ann 赞了你的动态"),
        ("%(who)s 赞了你的动态", "Ann、Ben 和另外 5 人", "Ann、Ben 和另外 5 人赞了你的动态"),
        (
            "%(who)s 赞了你的动态",
            Markup("<a><bdi>小明</bdi></a>"),
            "<a><bdi>小明</bdi></a>赞了你的动态",
        ),
        (
            "%(who)s 赞了你的动态",
            Markup("<a><bdi>Ann</bdi></a>"),
            "<a><bdi>Ann</bdi></a> 赞了你的动态",
        ),
    ],
)
def test_no_space_stands_between_chinese_characters(sentence: str, who: str, expected: str) -> None:
    assert fill_in_who(sentence, who) == expected
    assert type(fill_in_who(sentence, who)) is type(who)


@pytest.mark.parametrize(
    ("language", "name", "expected"),
    [
        ("en", "America/New_York", "America/New York"),
        ("en", "Asia/Calcutta", "Asia/Calcutta (Kolkata)"),
        ("zh-CN", "America/New_York", "America/New York（纽约）"),
        ("zh-CN", "UTC", "UTC"),
    ],
)
def test_a_time_zone_has_the_city_in_the_reader_s_language(
    app: Flask, language: str, name: str, expected: str
) -> None:
    with app.test_request_context(headers={"Accept-Language": language}):
        assert time_zone_name(name) == expected
