"""Where programs begin to listen in the chats of their member."""

from __future__ import annotations

from collections.abc import Callable

from tests.support.chat import group, send_messages
from webapp.accounts import registration
from webapp.chat.live import positions
from webapp.chat.members import membership
from webapp.config import Config
from webapp.core.store.client import Db


def test_chat_that_a_member_has_left_has_no_position_for_them(
    db: Db, config: Config, apply_events: Callable[[], None]
) -> None:
    ann, ben = (
        registration.sign_up(db, config, login, login, "a long password").uid
        for login in ("ann", "ben")
    )
    cid = group(db, config, ann, [ben])
    send_messages(db, config, ann, cid, "one")
    apply_events()
    assert db.read(positions.first_positions(ben, [cid])) == {cid: (0, 1)}
    membership.remove(db, config, ann, cid, ben)
    assert db.read(positions.listed_chats(ben)) == [cid]  # until the worker takes it off
    assert db.read(positions.first_positions(ben, [cid])) == {}
