"""What tests of suggestions do: ask for some, and make members, posts and messages."""

from webapp.accounts.member import Member
from webapp.autocomplete.members import search_members, search_tags, suggest_members, suggest_tags
from webapp.core.store import Db


def suggested(db: Db, uid: int, typed: str) -> list[str]:
    """Return the logins that are suggested to a member."""
    return [member.login for member in suggested_members(db, uid, typed)]


def suggested_members(db: Db, uid: int, typed: str) -> list[Member]:
    """Return the members that are suggested to a member, in the two trips of a request."""
    return db.read(suggest_members(uid, db.read(search_members(uid, typed))))


def suggested_tags(db: Db, uid: int, typed: str) -> list[str]:
    """Return the hashtags that are suggested to a member, in the two trips of a request."""
    return db.read(suggest_tags(db.read(search_tags(uid, typed))))
