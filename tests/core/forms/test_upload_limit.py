"""Inputs of pictures carry their limit and what to say above it; a script tells before sending."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape

import pytest
from flask.testing import FlaskClient

from webapp.config import Config


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "That file is too big. Pictures can be up to 8 MB."),
        ("zh", "文件太大，图片不能超过 8 MB。"),
    ],
)
def test_every_input_of_pictures_has_its_limit(
    member: Callable[[str], FlaskClient], settings: Config, language: str, sentence: str
) -> None:
    ann, _ = member("ann"), member("ben")
    group = {"name": "Birds", "people": "ben", "kind": "private", "text": "a song"}
    chat = ann.post("/chats/new", data=group).location
    ann.set_cookie("linnet_lang", language)
    for path in ("/home", "/settings/profile", chat, f"{chat}/settings"):
        inputs = re.findall(r'<input[^>]* type="file"[^>]*>', ann.get(path).text)
        assert inputs, path
        for one in inputs:
            assert f'data-max-bytes="{settings.upload_max}"' in one, path
            assert f'data-too-big="{sentence}"' in unescape(one), path
