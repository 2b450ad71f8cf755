"""Posting and deleting statuses, and opening one."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Unpack
from urllib.parse import urlsplit

import orjson

from webapp.config import Config, Rate
from webapp.core.bans.texts import find_ban
from webapp.core.errors import NeedsReview, NotFound
from webapp.core.media import restrictions
from webapp.core.store import Db, Site, script
from webapp.core.text.parser import Parsed
from webapp.core.web.rate_limits import limit_error
from webapp.site_settings import HIDE, REVIEW
from webapp.statuses.values.pictures import unpack_pictures
from webapp.statuses.values.poll import unpack_poll

from . import keys
from .compose.further_posts import further_fields
from .compose.new_status import StatusOptions, fingerprint, resolve_fields
from .hydration import hydrate, with_memberships
from .lookup import entries_of
from .status import Status
from .threads.replies import ANCESTORS_MAX
from .values.pictures import picture_names
from .values.places import Place
from .values.visibility import Visibility
from .viewer.viewer_reads import recent_counts
from .viewer.viewer_state import ViewerState
from .visibility.targets import require_own_partition

POST = script("statuses/lua/post.lua")
DELETE = script("statuses/lua/delete.lua")
INDEX_MEDIA = script("statuses/lua/index_media.lua")
INDEX_SLICE = 500  # statuses that one script looks at


def post_thread(
    site: Site,
    uid: int,
    parsed: Parsed,
    form_key: str,
    place: Place | None = None,
    rate: Rate | None = None,
    draft_saved: str = "",
    **options: Unpack[StatusOptions],
) -> list[int]:
    """Post a status, or a thread with `more`: whole or not at all. Return the ids, oldest first.

    The same form key and text return the same ids again. `draft_saved`: when its draft was saved.
    One trip, and those of `resolve_fields` and `further_fields`. Raises Forbidden, RateLimited,
    Conflict, RefusedText, NeedsReview; NotFound if the draft was changed.
    """
    posts = _fields_of_thread(site, uid, parsed, place, options)
    fields, *more = posts
    digest = _content_digest(form_key, fields, parsed.text, fingerprint(options, place))
    flagged = _flag_and_hide(site.config, posts, options.get("reviewed", False))
    _restrict_pictures(site.config, posts)  # before anybody can know their addresses
    reply = site.run(
        POST,
        digest=digest,
        uid=uid,
        **_limits(site.config, rate),
        form_key=form_key,
        draft_saved=draft_saved,
        replaces="1" if options.get("replaces_draft") else "",
        network=options.get("network", ""),
        more=orjson.dumps(more).decode() if more else "",
        path_max=ANCESTORS_MAX + 1,
        flagged=flagged,
        fields=fields,
    )
    if (ids := list(map(int, str(reply).split())))[0] < 0:
        raise limit_error(-ids[0])
    return ids


def post(
    site: Site,
    uid: int,
    parsed: Parsed,
    form_key: str,
    place: Place | None = None,
    rate: Rate | None = None,
    draft_saved: str = "",
    **options: Unpack[StatusOptions],
) -> int:
    """Post as `post_thread` does. Return the id of the status, or of the first of its thread."""
    return post_thread(site, uid, parsed, form_key, place, rate, draft_saved, **options)[0]


def _fields_of_thread(
    site: Site, uid: int, parsed: Parsed, place: Place | None, options: StatusOptions
) -> list[dict[str, str]]:
    """Return the fields of each new status of a thread. Trips and errors as `post_thread` says."""
    if options.get("groups") and "groups" not in site.config.enabled_features:
        raise NotFound("no_group")
    options["host"] = urlsplit(site.config.site_url).netloc or options.get("host", "")
    fields = resolve_fields(site.db, uid, parsed, place, options)
    further = options.get("more", ())
    return [fields, *further_fields(site.db, uid, fields, further, options["host"])]


def _content_digest(
    form_key: str, fields: Mapping[str, str], text: str, options_fingerprint: str
) -> str:
    """Return the digest by which a repeated form is recognised: of its key and its content.

    A browser that goes back to a form sends its key again, maybe with another text.
    """
    content = (form_key, options_fingerprint, fields.get("visibility", ""), text)
    text = " ".join(content) if options_fingerprint else form_key
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _flag_and_hide(config: Config, posts: Sequence[dict[str, str]], is_reviewed: bool) -> str:
    """Return the words in new statuses that moderators want to see, JSON; "" without one.

    If one of them hides, no status of the thread is shown on public pages. Raises NeedsReview for
    one that moderators want to see first, unless they have.
    """
    found = [find_ban(config, *public_texts(fields)) for fields in posts]
    if held := next((ban for ban in found if ban and ban.action == REVIEW), None):
        if not is_reviewed:
            raise NeedsReview(held.value)
        return ""
    for fields in posts if any(ban and ban.action == HIDE for ban in found) else ():
        fields.setdefault("visibility", Visibility.UNLISTED.value)  # a public one has none
    return orjson.dumps([ban.value if ban else "" for ban in found]).decode() if any(found) else ""


def _restrict_pictures(config: Config, posts: Sequence[Mapping[str, str]]) -> None:
    """Restrict the pictures of new statuses that are not for everybody."""
    for fields in posts:
        if Visibility(fields.get("visibility", "")).restricted:
            restrictions.restrict(config, picture_names(fields.get("media")))


def open_pictures(site: Site, status_id: int) -> None:
    """Let everybody open the pictures of a status that is for everybody. One trip.

    Those of a deleted one may have been for few. Call it once the status is stored: a post that is
    refused may name pictures of others.
    """
    visibility, media = site.db.run(("HMGET", keys.status(status_id), "visibility", "media"))
    if not Visibility(visibility or "").restricted:
        for name in picture_names(media):
            restrictions.remove(site.config, name)


def delete(
    site: Site, uid: int, status_id: int, rule: str | None = None, kept: Sequence[str] = ()
) -> tuple[str, ...]:
    """Delete a member's own status. Return the names of its pictures, to be removed. One trip.

    `rule`: of the automatic deletion that asks for it, and `kept`: keys of the lists whose statuses
    stay. Raises NotFound; Forbidden if it is somebody else's; Conflict if the rule has changed, the
    status is on such a list, or the rule's member is suspended.
    """
    require_own_partition(site.db, uid, status_id)
    return picture_names(site.run(DELETE, uid=uid, id=status_id, rule=rule, kept=kept))


def index_media(db: Db, uid: int, list_key: str, above: int) -> int | None:
    """List the statuses with pictures among a slice of a member's statuses. One trip.

    `list_key`: one of `keys.authored_lists`. Return the id that the next slice begins above, None
    at the end. Safe to repeat.
    """
    last = db.run(INDEX_MEDIA(uid=uid, list=list_key, above=above, limit=INDEX_SLICE))
    return int(last) if last else None


def get(db: Db, status_id: int, viewer: int | None = None) -> Status:
    """Return one status. Two trips, three for one of a closed group.

    Raises NotFound, also if it is not meant for the viewer; Forbidden if its author is suspended
    or hidden from the viewer.
    """
    return open_status(db, status_id, viewer)[0]


def get_with_state(db: Db, status_id: int, viewer: int | None) -> tuple[Status, ViewerState]:
    """Return one status and a viewer's actions on it. Raises as `get`.

    Trips as `get`, and one more if they acted on it just now.
    """
    status, state = open_status(db, status_id, viewer)
    return status, db.read(recent_counts(viewer, state))


def open_status(db: Db, status_id: int, viewer: int | None) -> tuple[Status, ViewerState]:
    """Return one status and a viewer's actions on it, without recent counts. Trips as `get`.

    Raises as `get`.
    """
    page = db.read(hydrate(db.read(entries_of([status_id])), viewer))
    page = db.read(with_memberships(page))
    found = page.items[0] if page.items else None
    return page.relationship.require_visible(found), page.viewer_state


def _limits(config: Config, rate: Rate | None) -> dict[str, int]:
    return {
        "idempotency_seconds": config.post_key_hours * 3600,
        "burst": rate.burst if rate else 0,
        "period": rate.period if rate else 0,
    }


def public_texts(fields: Mapping[str, str]) -> Iterator[str]:
    """Yield the texts in a status's fields: also of its poll, pictures and place."""
    yield from (fields.get(name, "") for name in ("text", "cw", "place"))
    if poll := unpack_poll(fields.get("poll"), 0):
        yield from poll.options
    yield from (picture.alt for picture in unpack_pictures(fields.get("media")))
