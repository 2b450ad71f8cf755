"""Parts of pages: cached fragments, share cards, compressed files."""

import gzip
import re

import brotli
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from webapp.core.rendering.fragments import FragmentCache

DECODED = {"br": brotli.decompress, "gzip": gzip.decompress, None: bytes}
ARTICLE = re.compile(r'<article .*?id="status-(\d+)".*?</article>', re.DOTALL)
META = re.compile(r'<meta (?:property|name)="((?:og|twitter):[^"]+)" content="([^"]*)">')


def articles(client: FlaskClient, path: str, **headers: str) -> dict[int, str]:
    """Return the HTML of a page's statuses, by id."""
    return {
        int(match[1]): match[0]
        for match in ARTICLE.finditer(client.get(path, headers=headers).text)
    }


def fragment_cache(app: Flask) -> FragmentCache:
    """Return the app's fragment cache."""
    cache: FragmentCache = app.extensions["linnet.fragments"]
    return cache


def share_card(page: TestResponse) -> dict[str, str]:
    """Return what a page tells other sites to show."""
    assert page.status_code == 200
    return dict(META.findall(page.text))
