"""Where programs begin to listen in the chats of their member."""

from __future__ import annotations

from collections.abc import Callable

from tests.support.chat import group, send_messages
from webapp.accounts import registration
from webapp.chat.live import positions
from webapp.chat.members import membership
from webapp.core.site import Site


def test_chat_that_a_member_has_left_has_no_position_for_them(
    site: Site, apply_events: Callable[[], None]
) -> None:
    ann, ben = (
        registration.sign_up(site, login, login, "a long password").uid for login in ("ann", "ben")
    )
    cid = group(site, ann, [ben])
    send_messages(site, ann, cid, "one")
    apply_events()
    assert site.db.read(positions.first_positions(ben, [cid])) == {cid: (0, 1)}
    membership.remove(site, ann, cid, ben)
    assert site.db.read(positions.listed_chats(ben)) == [cid]  # until the worker takes it off
    assert site.db.read(positions.first_positions(ben, [cid])) == {}
