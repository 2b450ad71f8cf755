"""Members as the index has them: by names and bio, ranked by their followers."""

from collections.abc import Iterable

from webapp.accounts import keys as account_keys, store as accounts
from webapp.accounts.member import Member
from webapp.core.store import Read, collect, gather, read
from webapp.following import keys as following_keys
from webapp.statuses import may_be_found

from .documents import Document, member_document


def member_documents(uids: Iterable[int]) -> Read[list[tuple[Document | None, int]]]:
    """Read each member's document, None if nobody may find them, and number of followers."""
    return collect(
        gather(
            accounts.get(uid),
            read(("HGET", account_keys.user(uid), "bio"), lambda bio: bio or ""),
            read(("ZCARD", following_keys.followers(uid)), int),
        ).map(_with_document)
        for uid in uids
    )


def _with_document(found: tuple[Member | None, str, int]) -> tuple[Document | None, int]:
    member, bio, followers = found
    return member_document(member, bio) if member and may_be_found(member) else None, followers
