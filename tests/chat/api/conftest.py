"""Two callers of the chat API."""

from __future__ import annotations

import pytest
from flask import Flask

from tests.conftest import SignUp
from tests.support import chat, worker
from tests.support.chat_api import Caller
from webapp.accounts import store
from webapp.core.site import Site
from webapp.core.store.client import Db


@pytest.fixture
def pair(app: Flask, member: SignUp) -> tuple[Caller, Caller, str]:
    """Ann, Ben, and a group that Ann owns and Ben belongs to."""
    for login in ("ann", "ben"):
        member(login)
    db: Db = app.extensions["linnet.db"]
    ann, ben = (Caller(app, db.read(store.uid_by_login(name))) for name in ("ann", "ben"))
    cid = chat.group(Site(db, ann.config), ann.uid, [ben.uid])
    worker.drain(Site(db, ann.config))
    return ann, ben, cid
