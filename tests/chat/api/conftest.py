"""Two callers of the chat API."""

from __future__ import annotations

import pytest

from tests.support import chat, worker
from tests.support.chat_api import Caller
from tests.support.world import Web
from webapp.accounts import store
from webapp.core.site import Site


@pytest.fixture
def pair(web: Web) -> tuple[Caller, Caller, str]:
    """Ann, Ben, and a group that Ann owns and Ben belongs to."""
    for login in ("ann", "ben"):
        web.member(login)
    ann, ben = (Caller(web.app, web.db.read(store.uid_by_login(name))) for name in ("ann", "ben"))
    cid = chat.group(Site(web.db, ann.config), ann.uid, [ben.uid])
    worker.drain(Site(web.db, ann.config))
    return ann, ben, cid
