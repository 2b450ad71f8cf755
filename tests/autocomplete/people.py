"""What tests of suggestions do: ask for some, and make members, posts and messages."""

from itertools import count

from webapp.accounts.member import Member
from webapp.autocomplete.members import search_members, search_tags, suggest_members, suggest_tags
from webapp.core.store import Db, Site
from webapp.core.text.parser import parse
from webapp.statuses import store as statuses

FORM_KEYS = count()


def suggested(db: Db, uid: int, typed: str) -> list[str]:
    """Return the logins that are suggested to a member."""
    return [member.login for member in suggested_members(db, uid, typed)]


def suggested_members(db: Db, uid: int, typed: str) -> list[Member]:
    """Return the members that are suggested to a member, in the two trips of a request."""
    return db.read(suggest_members(uid, db.read(search_members(uid, typed))))


def suggested_tags(db: Db, uid: int, typed: str) -> list[str]:
    """Return the hashtags that are suggested to a member, in the two trips of a request."""
    return db.read(suggest_tags(db.read(search_tags(uid, typed))))


def post(site: Site, uid: int, text: str, **options: object) -> int:
    """Post a status and return its id."""
    key = f"form-{next(FORM_KEYS)}"
    return statuses.post(site, uid, parse(text), key, **options)  # type: ignore[arg-type]
