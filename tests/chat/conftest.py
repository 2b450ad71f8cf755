"""Members and a group for the tests of the chat pages."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from flask.testing import FlaskClient

from tests.conftest import PASSWORD, make_app
from tests.support.chat_pages import Birds, ChatMember, create_group
from tests.support.world import Web
from webapp.accounts import store as accounts
from webapp.config import Config


@pytest.fixture
def birds(web: Web) -> Birds:
    """Wren, Finch and Owl, signed in."""
    clients = {login: web.member(login) for login in ("wren", "finch", "owl")}
    clients["wren"].post("/@finch/follow")
    clients["finch"].post("/@wren/follow")
    return Birds(
        *(
            ChatMember(client, web.db.read(accounts.uid_by_login(login)))
            for login, client in clients.items()
        )
    )


@pytest.fixture
def group_id(birds: Birds) -> str:
    """Create a private group named Hedge, owned by Wren, with Finch as a member."""
    return create_group(birds.wren.client, people="@finch")


@pytest.fixture
def client_with(settings: Config) -> Iterator[Callable[..., FlaskClient]]:
    """Sign Wren up on an app with other settings: `client_with(limit_chat=...)`."""
    apps = []

    def sign_up(**changes: object) -> FlaskClient:
        app = make_app(replace(settings, **changes))  # type: ignore[arg-type]
        apps.append(app)
        client = app.test_client()
        form = {"login": "wren", "name": "Wren", "password": PASSWORD}
        assert client.post("/signup", data=form).status_code == 303
        return client

    yield sign_up
    for app in apps:
        app.extensions["linnet.db"].close()
