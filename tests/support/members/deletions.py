"""What a deleted account leaves."""

from tests.support.schema import live_keys, member_keys
from webapp.accounts import keys as account_keys
from webapp.core.store import Db, Site, partition_of
from webapp.following import keys as following_keys
from webapp.timelines import keys as timeline_keys


def remaining_keys(db: Db, uid: int) -> set[str]:
    """Return the keys that name a member, without the idempotency keys, which expire."""
    return {name for name in member_keys(db, uid) if not name.startswith("post_idempotency:")}


def check_deleted(site: Site, uid: int, login: str, others: list[int]) -> None:
    """Assert that only the tombstone of a deleted member is left."""
    assert remaining_keys(site.db, uid) == {account_keys.user(uid)}
    assert site.db.run(("HKEYS", account_keys.user(uid))) == ["removed"]
    assert site.db.run(("TTL", account_keys.login(login))) > 0
    assert site.db.run(("ZSCORE", account_keys.active_members(partition_of(uid)), uid)) is None
    for other in others:
        assert site.db.trip(
            ("ZSCORE", following_keys.following(other), uid),
            ("ZSCORE", following_keys.followers(other), uid),
        ) == [None, None]
        assert not [
            entry
            for entry in site.db.run(("ZRANGE", account_keys.home(other), 0, -1))
            if entry.endswith(f":{uid}")
        ]
    assert not [
        entry
        for entry in site.db.run(("ZRANGE", timeline_keys.public_timeline(), 0, -1))
        if entry.endswith(f":{uid}")
    ]
    assert not [
        name
        for name in live_keys(site.db)
        if name.startswith("status:") and site.db.run(("HGET", name, "author")) == str(uid)
    ]
    assert not (site.config.media_path / str(uid)).exists()
