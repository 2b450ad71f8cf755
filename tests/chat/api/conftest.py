"""Two callers of the chat API."""

import pytest

from tests.support import chat
from tests.support.chat_api import Caller, Pair
from tests.support.world import Web
from webapp.accounts import store
from webapp.chat.bots import store as bots


@pytest.fixture
def pair(web: Web) -> Pair:
    """Ann, Ben, and a group that Ann owns and Ben belongs to."""
    return _make_pair(web)


@pytest.fixture(scope="module")
def shared_pair(shared_web: Web) -> Pair:
    """The same for tests of a module that change nothing."""
    return _make_pair(shared_web)


@pytest.fixture
def dot(web: Web, pair: Pair) -> Caller:
    """A member who belongs to no chat."""
    return _join(web, "dot")


@pytest.fixture
def jay(pair: Pair) -> Caller:
    """Ann's bot."""
    ann, *_ = pair
    return Caller(ann.app, bots.create_bot(ann.site, ann.uid, "jay", "Jay").uid)


def _join(web: Web, login: str) -> Caller:
    web.member(login)
    return Caller(web.app, web.db.read(store.uid_by_login(login)))


def _make_pair(web: Web) -> Pair:
    ann, ben = _join(web, "ann"), _join(web, "ben")
    cid = web.do(chat.group, ann.uid, [ben.uid])
    return ann, ben, cid
