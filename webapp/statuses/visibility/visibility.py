"""How visible a status is: said when it is posted, and never changed; while its author is protected, for followers at
most.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from webapp.accounts import keys as account_keys
from webapp.accounts.store import Member
from webapp.core.store.client import Db
from webapp.core.text.parser import Entity
from webapp.errors import Forbidden


class Visibility(Enum):
    """As it is stored, the widest first. Public: shown everywhere. Unlisted: to all who come to it, on no page that
    shows what everybody writes. Followers: to its author's followers, and to whom it names or answers. Mentioned: to
    these alone. Its author is always shown it.
    """

    PUBLIC = ""
    UNLISTED = "u"
    FOLLOWERS = "f"
    MENTIONED = "m"

    @property
    def restricted(self) -> bool:
        """Whether not everybody may see it."""
        return self in (Visibility.FOLLOWERS, Visibility.MENTIONED)

    @property
    def slug(self) -> str:
        """What forms call it."""
        return self.name.lower()


WIDEST_FIRST = tuple(Visibility)


def effective_visibility(stored: str | None, author: Member) -> Visibility:
    """How visible a status is at this moment, from what is stored of it: what a protected member wrote for everybody is
    for followers alone, and for nobody else whom it names or answers. The one place that says so of a status.
    """
    visibility = Visibility(stored or "")
    return visibility if visibility.restricted or not author.protected else Visibility.FOLLOWERS


def parse_visibility(slug: str) -> Visibility | None:
    """The one that forms call so; None where nothing is said. Raises ValueError."""
    visibility = next((one for one in WIDEST_FIRST if one.slug == slug), None)
    if slug and visibility is None:
        raise ValueError(slug)
    return visibility


def allowed_for_reply(parent: Visibility) -> tuple[Visibility, ...]:
    """How visible a reply may be: never wider than what it answers, where not everybody may see that."""
    return WIDEST_FIRST[WIDEST_FIRST.index(parent) :] if parent.restricted else WIDEST_FIRST


def resolve_visibility(wanted: Visibility | None, parent: Visibility | None) -> Visibility:
    """How visible a status is to be; as what it answers, if anything, unless its author says so. Raises Forbidden where
    it may not be.
    """
    visibility = next(one for one in (wanted, parent, Visibility.PUBLIC) if one is not None)
    if parent is not None and visibility not in allowed_for_reply(parent):
        raise Forbidden("too_visible")
    return visibility


def mentioned_uids(db: Db, entities: Iterable[Entity], reply_to: int | None) -> frozenset[int]:
    """The uids of whom a status names by now, and `to`, whose status it answers. One trip, none where it names none."""
    logins = sorted({entity.text.lower() for entity in entities if entity.kind == "mention"})
    claims = db.trip(*(("GET", account_keys.login(login)) for login in logins))
    return frozenset(
        {reply_to or 0, *(int(claim.partition(":")[0]) for claim in claims if claim)} - {0}
    )


def protected_uids(db: Db, authors: Iterable[int]) -> frozenset[int]:
    """Those of some authors who are protected by now. One trip, none without authors."""
    uids = sorted(set(authors))
    flags = db.trip(*(("HEXISTS", account_keys.user(uid), "protected") for uid in uids))
    return frozenset(uid for uid, is_so in zip(uids, flags, strict=True) if is_so)


def pack_uids(uids: Iterable[int]) -> str:
    """Whom a status names, as it is stored: uids with a blank around each; nothing for nobody."""
    return "".join(f" {uid}" for uid in sorted(uids)) + " " if uids else ""


def unpack_uids(stored: str | None) -> frozenset[int]:
    """The uids in their stored form."""
    return frozenset(map(int, (stored or "").split()))
