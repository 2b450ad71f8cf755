"""The chat of a group, whose members may enter it.

It lies in the partition of the group, so one script changes both: a member who leaves the group, or
is removed, leaves the chat in the same step.
"""

from webapp.chat.members import keys as member_keys
from webapp.chat.members.policy import require_chat_quota
from webapp.core.store import PARTITIONS, Site, script

SET_CHAT = script("community/groups/lua/set_chat.lua")
ENTER_CHAT = script("community/groups/lua/enter_chat.lua")


def start(site: Site, uid: int, gid: int) -> None:
    """Give a group a chat and enter it, as an owner; do nothing if it has one. Three trips.

    Raises NotFound, Forbidden, Conflict (CHATS_MAX reached), Unavailable.
    """
    require_chat_quota(site, uid)
    last = int(site.db.run(("INCRBY", member_keys.last_chat_id(), PARTITIONS)))
    site.run(SET_CHAT, gid=gid, uid=uid, cid=last - (last - gid) % PARTITIONS)


def delete(site: Site, uid: int, gid: int) -> None:
    """Delete the chat of a group with all its messages, as an owner. One trip.

    Raises NotFound, Forbidden, Unavailable.
    """
    site.run(SET_CHAT, gid=gid, uid=uid, cid="")


def enter(site: Site, uid: int, gid: int) -> str:
    """Enter the chat of a group, as one of its members, and return its id. Two trips.

    Raises NotFound (the group or its chat), Forbidden, Conflict (CHATS_MAX or CHAT_MEMBERS_MAX
    reached).
    """
    require_chat_quota(site, uid)
    return str(site.run(ENTER_CHAT, gid=gid, uid=uid))
