"""Two callers of the chat API."""

from __future__ import annotations

import pytest

from tests.support import chat
from tests.support.chat_api import Caller, Pair
from tests.support.world import Web
from webapp.accounts import store


@pytest.fixture
def pair(web: Web) -> Pair:
    """Ann, Ben, and a group that Ann owns and Ben belongs to."""
    return _make_pair(web)


@pytest.fixture(scope="module")
def shared_pair(shared_web: Web) -> Pair:
    """The same for tests of a module that change nothing."""
    return _make_pair(shared_web)


def _make_pair(web: Web) -> Pair:
    for login in ("ann", "ben"):
        web.member(login)
    ann, ben = (Caller(web.app, web.db.read(store.uid_by_login(name))) for name in ("ann", "ben"))
    cid = chat.group(web, ann.uid, [ben.uid])
    web.apply_events()
    return ann, ben, cid
