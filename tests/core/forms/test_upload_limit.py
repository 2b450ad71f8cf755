"""Inputs of pictures carry their limit and what to say above it; a script tells before sending."""

import re
from html import unescape

import pytest

from tests.support.world import Web


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "That file is too big. Pictures can be up to 8 MB."),
        ("zh", "文件太大，图片不能超过 8 MB。"),
    ],
)
def test_every_form_with_pictures_has_their_limit(web: Web, language: str, sentence: str) -> None:
    ann, _ = web.member("ann"), web.member("ben")
    group = {"name": "Birds", "people": "ben", "kind": "private", "text": "a song"}
    chat = ann.post("/chats/new", data=group).location
    ann.set_cookie("linnet_lang", language)
    for path in ("/home", "/settings/profile", chat, f"{chat}/settings"):
        parts = re.split(r"<form\b", ann.get(path).text)
        forms = [part for part in parts if re.search(r'\stype="file"', part)]
        assert forms, path
        for form in forms:  # on the input, or on the part of the form that holds it
            before = re.split(r'\stype="file"', unescape(form))
            tag_or_parts = before[0] + before[1].partition(">")[0]
            assert f'data-max-bytes="{web.config.upload_max}"' in tag_or_parts, path
            assert f'data-too-big="{sentence}"' in tag_or_parts, path
