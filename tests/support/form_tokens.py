"""Forms and their tokens, and a store that can be compared."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.conftest import make_app
from tests.support.schema import live_keys
from webapp.config import Config
from webapp.core.store import Db

READ_COMMANDS = {
    "string": "GET",
    "hash": "HGETALL",
    "set": "SMEMBERS",
    "zset": "ZRANGE",
    "stream": "XRANGE",
}
READ_ARGS = {"zset": (0, -1, "WITHSCORES"), "stream": ("-", "+")}


def everything(db: Db, *excluded: str) -> dict[str, Any]:
    """Return every key with its value, except keys with one of these prefixes."""
    values = {}
    for key in live_keys(db):
        if not key.startswith(excluded or ("\0",)):
            kind = db.run(("TYPE", key))
            if kind != "none":  # it has not just expired
                values[key] = db.run((READ_COMMANDS[kind], key, *READ_ARGS.get(kind, ())))
    return values


@pytest.fixture
def guarded(settings: Config) -> Iterator[Flask]:
    """Return the app with CSRF protection, as in production."""
    app = make_app(settings, WTF_CSRF_ENABLED=True)
    yield app
    app.extensions["linnet.db"].close()


def token(client: FlaskClient, path: str, **options: Any) -> str:
    """Return the CSRF token in a page."""
    found = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', client.get(path, **options).text)
    assert found
    return found[1]
