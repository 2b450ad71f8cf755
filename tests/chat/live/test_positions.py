"""Where programs begin to listen in the chats of their member."""

from tests.support.chat import group, send_messages
from tests.support.world import World
from webapp.accounts import registration
from webapp.chat.inbox import listing
from webapp.chat.live import positions
from webapp.chat.members import membership


def test_chat_that_a_member_has_left_has_no_position_for_them(world: World) -> None:
    ann, ben = (
        registration.sign_up(world, login, login, "a long password").uid for login in ("ann", "ben")
    )
    cid = group(world, ann, [ben])
    world.do(send_messages, ann, cid, "one")
    assert world.db.read(positions.first_positions(ben, [cid])) == {cid: (0, 1)}
    membership.remove(world, ann, cid, ben)
    assert world.db.read(positions.listed_chats(ben)) == [cid]  # until the worker takes it off
    assert world.db.read(positions.first_positions(ben, [cid])) == {}
    assert listing.inbox(world.db, ben) == []
