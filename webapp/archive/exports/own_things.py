"""Readers of what a member keeps: the profile, settings, mutes, notes, lists, folders, drafts."""

from collections.abc import Iterable

from webapp.accounts import keys as account_keys, profile, store as accounts
from webapp.accounts.email.addresses import addresses
from webapp.accounts.email.digests import wants_digest
from webapp.core.errors import NotFound
from webapp.core.media.storage import PICTURE_SIZES
from webapp.core.store import listed_in, to_dict
from webapp.following import keys as following_keys
from webapp.following.mutes.store import Mute
from webapp.lists.lookup import member_uids, owned
from webapp.rewards.items import store as items
from webapp.statuses import Picture, filters_of
from webapp.statuses.drafts import store as drafts
from webapp.statuses.folders import keys as folder_keys
from webapp.statuses.folders.store import folders_of

from .sources import Owner, Row, Slice, scored_page, time_of_ms

# A member's own fields of the user hash. New ones are named here, so that no secret slips out.
SETTINGS = frozenset(
    "protected quote_policy chats_from likes_hidden hidden_from_search language theme counts "
    "audience app_defaults home_hides places_hidden_up_to streak_badge countries".split()
)
ITEMS_MAX = 1_000  # those that came last
SETTING_PREFIXES = ("notify:", "push:")


def read_profile(owner: Owner) -> list[Row]:
    """Read the member's profile. One trip. Raises NotFound if the account is deleted."""
    member, about = owner.site.db.fetch(accounts.get(owner.uid), profile.about(owner.uid))
    if member is None:
        raise NotFound("no_member")
    pictures = {"avatar": member.avatar, "header": about.header}
    files = [
        {"file": f"media/{name}-{PICTURE_SIZES[kind][0][0]}.webp", "description": kind}
        for kind, name in pictures.items()
        if name
    ]
    return [
        {
            **owner.account(member),
            "joined": member.joined.isoformat(timespec="seconds"),
            "bio": about.text,
            "location": about.location,
            "website": about.website,
            "pictures": files,
        }
    ]


def read_settings(owner: Owner) -> list[Row]:
    """Read the settings of the account, as they are stored. One trip."""
    fields = to_dict(owner.site.db.run(("HGETALL", account_keys.user(owner.uid))))
    return [
        {
            name: value
            for name, value in fields.items()
            if name in SETTINGS or name.startswith(SETTING_PREFIXES)
        }
    ]


def read_email(owner: Owner) -> list[Row]:
    """Read the email address of the account. One trip."""
    found, has_digest = owner.site.db.fetch(addresses(owner.uid), wants_digest(owner.uid))
    return [{"address": found.verified, "pending": found.pending, "weekly_digest": has_digest}]


def read_mutes(owner: Owner, cursor: str) -> Slice:
    """Read the muted members, each with the end of the mute. Two trips."""
    found, following = scored_page(owner, following_keys.mutes, cursor)
    ends = {int(uid): until for uid, until in found}
    members, hidden = owner.site.db.fetch(
        accounts.get_many(ends), listed_in(following_keys.muted_notifications(owner.uid), ends)
    )
    rows = []
    for uid, member in members.items():
        mute = Mute(ends[uid], uid in hidden)
        until = time_of_ms(mute.until * 1000) if mute.remaining is not None else None
        row = {"until": until, "hides_notifications": mute.hide_notifications}
        rows.append({**owner.account(member), **row})
    return Slice(rows, following)


def read_notes(owner: Owner) -> list[Row]:
    """Read the member's notes about others. Two trips."""
    notes = to_dict(owner.site.db.run(("HGETALL", following_keys.notes(owner.uid))))
    members = owner.site.db.read(accounts.get_many(map(int, notes)))
    return [{**owner.account(one), "note": notes[str(uid)]} for uid, one in members.items()]


def read_lists(owner: Owner, cursor: str) -> Slice:
    """Read one list with its members. Three trips."""
    lists = owner.site.db.read(owned(owner.uid))
    at = int(cursor or 0)
    if at >= len(lists):
        return Slice([])
    uids = owner.site.db.read(member_uids(owner.uid, lists[at].number))
    members = owner.site.db.read(accounts.get_many(uids))
    row = {
        "name": lists[at].name,
        "private": lists[at].private,
        "exclusive": lists[at].exclusive,
        "members": [owner.account(one) for one in members.values()],
    }
    return Slice([row], str(at + 1))


def read_folders(owner: Owner) -> list[Row]:
    """Read the folders of bookmarks, and the ids of the posts in each. Two trips."""
    folders = owner.site.db.read(folders_of(owner.uid))
    commands = [
        ("ZRANGE", folder_keys.folder_statuses(owner.uid, one.number), 0, -1) for one in folders
    ]
    found = owner.site.db.trip(*commands) if commands else []
    return [{"name": one.name, "posts": ids} for one, ids in zip(folders, found, strict=True)]


def read_drafts(owner: Owner) -> list[Row]:
    """Read drafts and scheduled posts. Two trips."""
    scheduled, unscheduled = drafts.list_all(owner.site.db, owner.uid)
    return [
        {
            "saved_at": one.saved_at.isoformat(timespec="seconds"),
            "due": one.due.isoformat(timespec="seconds") if one.due else None,
            "fields": dict(one.fields),
            "pictures": picture_rows(one.pictures),
        }
        for one in [*scheduled, *unscheduled]
    ]


def read_items(owner: Owner) -> list[Row]:
    """Read the items that the member owns. Two trips."""
    ids = [id_ for _, id_ in owner.site.db.read(items.owned_ids(owner.uid, ITEMS_MAX))]
    return [
        {"kind": one.kind, "title": one.title, "since": one.since.isoformat(timespec="seconds")}
        for one in owner.site.db.read(items.items_of(owner.uid, ids))
    ]


def read_filters(owner: Owner) -> list[Row]:
    """Read the word filters. One trip."""
    return [
        {
            "title": one.title,
            "words": one.phrases,
            "whole_words": list(filter(one.is_whole, one.phrases)),
            "contexts": list(one.contexts),
            "expires_at": one.expires_at or None,
            "hide": one.hide,
        }
        for one in owner.site.db.read(filters_of(owner.uid))
    ]


def picture_rows(pictures: Iterable[Picture]) -> list[Row]:
    """Return the rows of pictures: the file of each in the archive, and its description."""
    return [
        {"file": one.paths[-1][0].removeprefix("/"), "description": one.alt} for one in pictures
    ]
