"""Upgrades of what older versions stored of pictures: each is done for some members at a time."""

from collections.abc import Iterable, Iterator

from webapp.accounts.projections import sync_member_flags
from webapp.config import Config
from webapp.core.media import restrictions
from webapp.core.store import Db, Site
from webapp.statuses import keys
from webapp.statuses.drafts import keys as draft_keys
from webapp.statuses.lookup import pages_of
from webapp.statuses.store import index_media
from webapp.statuses.values.pictures import picture_names

BATCH = 500  # statuses of one trip


def fill_media_tabs(site: Site, uids: Iterable[int]) -> None:
    """List what members posted before there were media tabs. A trip for each slice of a list."""
    for uid in _with_pictures(site.config, uids):
        for list_key in keys.authored_lists(uid):
            last: int | None = 0
            while last is not None:
                last = index_media(site.db, uid, list_key, last)


def restrict_pictures(site: Site, uids: Iterable[int]) -> None:
    """Restrict the pictures of members, drafts and restricted posts, by the store's data.

    Also after a restore, since the files of a copy are newer or older than its store. Four trips a
    member with pictures, and two for each batch of posts.
    """
    for uid in _with_pictures(site.config, uids):
        sync_member_flags(site, uid)
        for media in _restricted_media(site.db, uid):
            restrictions.restrict(site.config, picture_names(media))


def _with_pictures(config: Config, uids: Iterable[int]) -> Iterator[int]:
    """Yield the members who have stored pictures."""
    folders = (config.media_path, config.media_path / "posts")
    return (uid for uid in uids if any((folder / str(uid)).exists() for folder in folders))


def _restricted_media(db: Db, uid: int) -> Iterator[str]:
    """Yield the pictures, as stored, of each draft and each restricted post of a member."""
    form_keys = db.run(("ZRANGE", draft_keys.drafts(uid), 0, -1))
    commands = [("HGET", draft_keys.draft(uid, form_key), "media") for form_key in form_keys]
    yield from filter(None, db.trip(*commands))
    for ids in pages_of(db, keys.restricted_statuses(uid, uid), BATCH):
        commands = [("HGET", keys.status(status_id), "media") for status_id in ids]
        yield from filter(None, db.trip(*commands))
