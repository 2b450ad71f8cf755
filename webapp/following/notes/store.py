"""Write and read a member's private notes about others.

A note is private, as a mute is: stored in the partition of its writer, projected nowhere.
"""

from typing import Final

from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.core.errors import Invalid, NotFound
from webapp.core.store import Db, read, script
from webapp.following import keys

SAVE_NOTE = script("following/notes/lua/save_note.lua")
NOTE_MAX: Final = 500  # characters
NOTES_MAX = 5_000  # members about whom one member has a note


def load_note(db: Db, uid: int, login: str) -> tuple[Member, str]:
    """Return the member of a login and the note of `uid` about them, "" for none. Two trips.

    The note about a deleted account is removed, in one trip more. Raises NotFound, Invalid for
    oneself.
    """
    target = db.read(accounts.uid_by_login(login))
    note = read(("HGET", keys.notes(uid), target), lambda text: text or "")
    member, text = db.fetch(accounts.get(target), note)
    if member is None:
        if text:
            db.run(("HDEL", keys.notes(uid), target))
        raise NotFound("no_member")
    if target == uid:
        raise Invalid("note_yourself")
    return member, text


def save_note(db: Db, uid: int, login: str, text: str) -> Member:
    """Save a note about the member of a login; an empty text removes it. Return the member.

    Three trips. Raises as `load_note`, Conflict at NOTES_MAX, Forbidden for a suspended writer.
    """
    member, _ = load_note(db, uid, login)
    db.run(SAVE_NOTE(uid=uid, target=member.uid, text=text, limit=NOTES_MAX))
    return member
