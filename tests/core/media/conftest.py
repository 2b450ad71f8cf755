"""What tests of pictures share: an app that words refusals."""

from collections.abc import Callable, Iterator

import pytest
from flask import Flask

from tests.conftest import BASE, empty_store, make_app
from webapp.config import Config, load
from webapp.core.media.decoding import BadPicture


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


@pytest.fixture
def refused(save: Callable[[bytes], object], settings: Config) -> Callable[[bytes], str]:
    """Return a function that expects a refusal without a written file and returns its reason."""

    def expect_refusal(content: bytes) -> str:
        with pytest.raises(BadPicture) as refusal:
            save(content)
        assert refusal.value.sentence and not settings.media_path.exists()
        return refusal.value.reason

    return expect_refusal
