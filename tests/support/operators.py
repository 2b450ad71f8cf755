"""The commands of the operator."""

from collections.abc import Callable

import pytest
from click.testing import CliRunner, Result

from webapp.cli import main
from webapp.config import Config
from webapp.core.store import Db
from webapp.core.store.connection import connect

Linnet = Callable[..., Result]


def printed(*arguments: str) -> str:
    """Return what a command prints."""
    return CliRunner().invoke(main, arguments).output


@pytest.fixture
def linnet(settings: Config, monkeypatch: pytest.MonkeyPatch) -> Linnet:
    """Return a function that runs a command on the store under test."""
    monkeypatch.setenv("REDIS_URL", settings.redis_url)
    monkeypatch.setenv("PASSWORD_COST", settings.password_cost)
    monkeypatch.setenv("SECRET_KEY", settings.secret_key)
    return lambda *args, **options: CliRunner().invoke(main, args, **options)


@pytest.fixture
def store_db(settings: Config) -> Db:
    """Connect to the store under test."""
    return connect(settings)
