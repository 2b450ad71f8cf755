"""From a form or a draft to the fields of a new status."""

from collections.abc import Sequence
from typing import TypedDict

from webapp.accounts.settings.quote_policy import QuotePolicy
from webapp.accounts.store import mentioned_members, without_unknown
from webapp.core.i18n.language_detection import detect
from webapp.core.store import Db, collect, results_of
from webapp.core.text.entity_codec import pack_entities
from webapp.core.text.parser import Parsed
from webapp.statuses.quotes.links import quote_fields, quote_linked
from webapp.statuses.threads.replies import Parent, load_parent, reply_fields
from webapp.statuses.values.pictures import Picture, pack_pictures
from webapp.statuses.values.places import Place, place_fields
from webapp.statuses.values.poll import Poll, pack_poll
from webapp.statuses.values.reply_policy import ReplyPolicy, resolve_reply_rule
from webapp.statuses.values.visibility import Visibility, pack_uids, resolve_visibility
from webapp.statuses.visibility.groups import (
    GROUPS_MAX,
    PostingGroup,
    posting_group,
    require_together,
)
from webapp.statuses.visibility.targets import load_quotable

from .further_posts import FurtherPost


class StatusOptions(TypedDict, total=False):
    """Options of a new status besides its text and place."""

    reply: int | None  # id of the status it answers
    cw: str
    sensitive: bool  # covers the pictures
    pictures: Sequence[Picture]  # staged ones
    visibility: Visibility | None  # None: as its parent's, else public
    # The groups that a post, not a reply, goes to: one, which decides the visibility, or open ones.
    groups: Sequence[int]
    poll: Poll | None
    reply_policy: ReplyPolicy  # of a post; a reply inherits its thread's
    quote: int | None  # id of the status it quotes
    quote_policy: QuotePolicy
    more: Sequence[FurtherPost]  # the further posts of a thread, each in reply to the one before
    network: str  # hash of the network it comes from: see `posting_network`
    only_key: bool  # the same form key is the same post, whatever the text
    language: str  # BCP 47; "" or none: as its text tells
    replaces_draft: bool  # the form shows the draft that waits under its key
    reviewed: bool  # a moderator has published it: words no longer hold it up
    host: str  # of this site's pages: an address of a status there becomes a quote


def fingerprint(options: StatusOptions, place: Place | None) -> str:
    """Return a fingerprint of the options: the same text with other options is a new post.

    "" if the form key alone tells posts apart.
    """
    if options.get("only_key"):
        return ""
    quote_policy = options.get("quote_policy")
    return repr(
        (
            *(one.fingerprint for one in options.get("more", ())),
            options.get("reply"),
            options.get("cw"),
            options.get("sensitive", False),
            pack_poll(options.get("poll")),
            options.get("reply_policy", ReplyPolicy.EVERYBODY).value,
            [one.fingerprint for one in options.get("pictures", ())],
            options.get("quote"),
            *options.get("groups", ()),
            quote_policy and quote_policy.value,
            place,
        )
    )


def resolve_fields(
    db: Db, uid: int, parsed: Parsed, place: Place | None, options: StatusOptions
) -> dict[str, str]:
    """Return the fields of a new status, without those that are empty.

    The first address of a status that the member may quote becomes the quote, unless there is one.
    Two trips each for a reply, a quote, and mentions, one for groups. Raises NotFound; Forbidden
    if the member may not answer, quote or post there, or the visibility is wider than the parent's.
    """
    parent = load_parent(db, uid, reply) if (reply := options.get("reply")) else None
    groups = [] if parent else _groups(db, uid, options.get("groups", ()))
    wanted = groups[0].visibility if groups else options.get("visibility")
    visibility = resolve_visibility(wanted, parent.visibility if parent else None)
    parsed, quote = _quote(db, uid, parsed, options)
    members = mentioned_members(db, parsed.entities)
    mentioned_uids = {member.uid for member in members.values()}
    required = {
        "author": str(uid),
        "text": parsed.text,
        "entities": pack_entities(without_unknown(parsed.entities, members)),
    }
    optional = {
        **_content_fields(options),
        **reply_fields(parent),
        **quote,
        **_audience_fields(mentioned_uids, parent, groups, visibility),
        "reply_rule": resolve_reply_rule(
            uid,
            mentioned_uids,
            options.get("reply_policy"),
            parent.stored_reply_rule if parent else None,
        ),
        **place_fields(place),
        "lang": options.get("language") or detect(parsed.text, parsed.entities),
    }
    return {**required, **{name: value for name, value in optional.items() if value}}


def _content_fields(options: StatusOptions) -> dict[str, str]:
    return {
        "cw": options.get("cw", ""),
        "sensitive": "1" if options.get("sensitive") else "",
        "media": pack_pictures(options.get("pictures", ())),
        "poll": pack_poll(options.get("poll")),
        "quote_policy": options.get("quote_policy", QuotePolicy.EVERYONE).value,
    }


def _groups(db: Db, uid: int, gids: Sequence[int]) -> Sequence[PostingGroup]:
    """Return the groups that a post goes to. One trip, none without.

    Raises NotFound, Forbidden; Conflict for several that are not all open, or too many.
    """
    groups = db.read(collect(posting_group(gid, uid) for gid in gids[: GROUPS_MAX + 1]))
    for group in groups:
        group.require_may_post()
    require_together(groups)
    return groups


def _quote(
    db: Db, uid: int, parsed: Parsed, options: StatusOptions
) -> tuple[Parsed, dict[str, str]]:
    """Return the text and the fields of a quote, which was chosen or is linked to."""
    if quoted_id := options.get("quote"):
        return parsed, quote_fields(quoted_id, load_quotable(db, uid, quoted_id).author.uid)
    return results_of(db, quote_linked(uid, parsed, options.get("host", "")))[0]


def _audience_fields(
    mentioned_uids: set[int],
    parent: Parent | None,
    groups: Sequence[PostingGroup],
    visibility: Visibility,
) -> dict[str, str]:
    if groups or visibility is Visibility.GROUP:
        gids = [str(group.gid) for group in groups]
        gids = gids or [parent.closed_group if parent else ""]
        further = " ".join(gids[1:])
        return {"visibility": visibility.value, "group": gids[0], "more_groups": further}
    if not visibility.restricted:
        return {"visibility": visibility.value}
    answered = {parent.author.uid} if parent else set()
    return {"visibility": visibility.value, "mentioned": pack_uids(mentioned_uids | answered)}
