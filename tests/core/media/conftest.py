"""What tests of pictures share: an app that words refusals."""

from collections.abc import Iterator

import pytest
from flask import Flask

from tests.conftest import BASE, empty_store, make_app
from webapp.config import load


@pytest.fixture(scope="module")
def wording_app(server: str) -> Iterator[Flask]:
    """An app that words refusals, and stores nothing.

    An app starts on an empty store or on Linnet's data, whatever the test before left.
    """
    config = load({**BASE, "redis_url": server}, {})
    empty_store(config)
    app = make_app(config)
    yield app
    app.extensions["linnet.db"].close()
