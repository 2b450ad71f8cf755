"""Reading timelines: home, public and profile. Each page is a fixed number of trips, whatever it shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from webapp.accounts import keys as account_keys
from webapp.accounts.store import Member, find_uid
from webapp.config import Config
from webapp.core.events.outbox import NEWEST_LOG_ENTRY, log_position
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.store.reads import Command
from webapp.core.store.scripts import script
from webapp.core.web.pagination import max_bound, overfetch
from webapp.errors import Forbidden, NotFound
from webapp.following import keys as following_keys
from webapp.following.store import (
    PROFILE_REPLIES,
    Profile,
    Relation,
    follows_from,
    load_relation,
    profile_commands,
    profile_from,
    relation_commands,
)
from webapp.lists import keys as list_keys
from webapp.statuses.author_page import author_page_command, author_page_from
from webapp.statuses.edits.pins import pins_command, pins_from
from webapp.statuses.interactions import keys as interaction_keys
from webapp.statuses.interactions.boosts import (
    BOOST_DEDUPE_WINDOW,
    Item,
    newest_boosts_command,
    newest_boosts_from,
)
from webapp.statuses.interactions.viewer_state import ViewerState, viewer_state_from_script
from webapp.statuses.polls import keys as poll_keys
from webapp.statuses.quotes.store import QuoteCardLoader
from webapp.statuses.status import Status
from webapp.statuses.visibility.policy import Relationship
from webapp.statuses.visibility.relationships import from_relation

from . import hydration, keys, shared
from .entries import ProfilePage
from .pull.sources import PullSources
from .rebuild import rebuild
from .tags import store as tags
from .timeline import Timeline, timeline_page, with_cards

HOME = script("timelines/lua/read_home.lua")
OPEN_LISTS = script("lists/lua/count_public.lua")
NEEDS_REBUILD = ("absent", "cut")  # states of a home that is to be built
OVERFETCH = 5  # entries that are read besides those of a page: some may prove to be gone


class HomeQuery:
    """A page of a member's home that is asked for: `commands` to put into a trip, whose replies `home` takes.
    `session`: the key of who asks, where they are sent before it is proved.
    """

    def __init__(
        self, db: Db, config: Config, uid: int, before: int | None, session_key: str | None = None
    ) -> None:
        p = partition_of(uid)
        self.sources = PullSources(db, config, uid, before)
        self.commands = [
            NEWEST_LOG_ENTRY,
            *self.sources.commands,
            HOME(
                home=keys.home(uid),
                following=following_keys.following(uid),
                active=keys.active_members(p),
                pull_authors=keys.pull_authors(p),
                suspended=account_keys.suspended_members(p),
                mutes=following_keys.mutes(uid),
                blocks=following_keys.blocks(uid),
                blockers=following_keys.blockers(uid),
                tags=keys.followed_tags(uid),
                excluded=list_keys.home_excluded(uid),
                member=account_keys.user(uid),
                likes=interaction_keys.member_likes(uid),
                bookmarks=interaction_keys.bookmarks(uid),
                boosts=interaction_keys.member_boosts(uid),
                votes=poll_keys.member_votes(uid),
                recent=interaction_keys.recent_interactions(uid),
                session=session_key,
                uid=uid,
                bound=max_bound(before),
                size=config.page_size + 1 + OVERFETCH,
                home_max=config.home_max,
                window=BOOST_DEDUPE_WINDOW,
            ),
        ]


def home(
    db: Db,
    config: Config,
    uid: int,
    before: int | None = None,
    query: HomeQuery | None = None,
    replies: Sequence[Any] | None = None,
) -> Timeline[Item]:
    """A page of a member's home timeline, newest first. Two trips, one where this process read its statuses just now;
    and one more, never two, for what something on it quotes or what the reader did just now; where it takes from
    elsewhere what this process has not read; where something proves to be gone or not for the reader; and where it is
    built anew. What comes in that one stands there without what it quotes. Never a status that is deleted, or whose
    author is hidden or, unless for a tag, not followed (any more); where more than SPARE have to be left out a page may
    be short, and leads on. `asked`, with the `replies` to its commands, where these were sent already: that is one trip
    less.
    """
    size, query = config.page_size, query or HomeQuery(db, config, uid, before)
    newest, *more_replies, home_reply = replies or db.trip(*query.commands)
    if home_reply[0] in NEEDS_REBUILD:
        return rebuild.rebuilt_page(db, config, uid, before, log_position(newest), home_reply)
    (state, own_entries, pull_uids, tag_names, hidden_uids, state_reply), sources = (
        home_reply,
        query.sources,
    )
    sources.accept(more_replies)
    sources.update(tag_names, map(int, pull_uids))
    hidden, position = set(map(int, hidden_uids)), log_position(newest)
    merged = tags.MergedEntries(own_entries, sources.entries(hidden), state, size + 1)
    home_state = viewer_state_from_script(state_reply)
    first, more_replies = hydration.hydrate_home(
        db, config, uid, merged, sources.author_pages, home_state, sources.commands
    )
    first_page = timeline_page(
        first.items, size, position, first.viewer_state, first.complete_to or None
    )
    if not (more_replies or first.deleted or first.excluded_authors):
        return with_cards(db, uid, first_page)
    sources.accept(more_replies)
    merged = tags.merge_without(
        own_entries,
        sources.entries(hidden),
        state,
        overfetch(size),
        first.deleted,
        first.excluded_authors,
    )
    cards, cleanup = (
        QuoteCardLoader(uid, first_page.items, first.viewer_state),
        tags.cleanup_commands(db, uid, tag_names, first.deleted),
    )
    second, more_replies = hydration.hydrate_home(
        db, config, uid, merged, sources.author_pages, home_state, [*cards.commands, *cleanup]
    )
    final_state = cards.parse(more_replies[: len(cards.commands)]).with_interactions_of(
        second.viewer_state
    )
    return timeline_page(second.items, size, position, final_state, second.complete_to or None)


def public_command(config: Config, before: int | None) -> Command:
    """The command that reads the entries of a page of the public timeline."""
    return shared.page_command(keys.public_timeline(), config, before)


def public(
    db: Db,
    config: Config,
    before: int | None = None,
    viewer: int | None = None,
    replies: Sequence[Any] | None = None,
) -> Timeline[Status]:
    """A page of the public timeline, newest first. Two trips; one more where somebody on it is hidden from the viewer,
    one where something on it quotes another status. Where much is hidden a page may be short, and leads on. `read`: the
    replies to NEWEST and to `public_command`, where these were sent already: one trip less.
    """
    return shared.page(db, config, keys.public_timeline(), before, viewer, replies)


def tagged_command(config: Config, name: str, before: int | None) -> Command:
    """The command that reads the entries of a page of what stands under a hashtag."""
    return shared.page_command(keys.hashtag_statuses(name), config, before)


def tagged(
    db: Db,
    config: Config,
    name: str,
    before: int | None = None,
    viewer: int | None = None,
    replies: Sequence[Any] | None = None,
) -> Timeline[Status]:
    """A page of what stands under a hashtag, by its folded name, newest first; as `public`."""
    return shared.page(db, config, keys.hashtag_statuses(name), before, viewer, replies)


def profile(
    db: Db,
    config: Config,
    login: str,
    viewer: Member | None,
    before: int | None = None,
    with_replies: bool = False,
    with_boosts: bool = True,
    owner: int | None = None,
) -> tuple[Profile, Relation | None, Timeline[Item]]:
    """A member's profile with a page of their statuses and boosts, of which the pinned ones stand before the first, and
    not where they would else; and, for another member, their relation; without statuses where one blocks the other.
    `replies`: with what they answered to others, and nothing pinned. `owner`: whose name that is, where it is known:
    one trip less. At most four trips, and one more for quotes or what the viewer did just now. Where much of what is
    boosted is hidden a page may be short, and leads on. Raises NotFound; Forbidden when the member is suspended.
    """
    uid = owner or find_uid(db, login)
    is_other_member = viewer is not None and viewer.uid != uid
    viewer_uid = viewer.uid if viewer else 0
    fetch_size = config.page_size + 1 + config.pinned_max
    commands = [
        NEWEST_LOG_ENTRY,
        author_page_command(uid, before, fetch_size, with_replies, viewer_uid, is_other_member),
        pins_command(config, uid),
    ]
    boosts_limit = overfetch(config.page_size) if with_boosts else 0
    commands += [
        newest_boosts_command(uid, before, boosts_limit),
        open_lists_command(uid),
        *profile_commands(uid),
    ]
    if is_other_member:
        commands += relation_commands(viewer_uid, uid, config.familiar_sample)
    newest, statuses, pins, boosts_reply, lists, *profile_replies = db.trip(*commands)
    owner_profile = replace(
        _require_profile(profile_from(uid, profile_replies[:PROFILE_REPLIES])), lists=int(lists)
    )
    follows = is_other_member and follows_from(profile_replies[PROFILE_REPLIES:])
    relationship = Relationship(viewer_uid, follows=frozenset({uid} if follows else ()))
    pinned = (
        ()
        if with_replies
        else tuple(filter(relationship.may_see_status, pins_from(owner_profile.member, pins)))
    )
    posts = [
        one
        for one in author_page_from(owner_profile.member, statuses, follows)
        if one not in pinned
    ]
    boost_refs = (
        newest_boosts_from(uid, boosts_reply)
        if relationship.may_see_boosts_by(owner_profile.member)
        else []
    )
    complete_to = boost_refs[-1].id if boost_refs and len(boost_refs) == boosts_limit else 0
    top_pins = pinned if before is None else ()
    profile_page = ProfilePage(
        viewer_uid, uid, posts, top_pins, boost_refs, complete_to, config.page_size, fetch_size
    )
    viewer_relation, (items, viewer_state, next_cursor) = _load_profile_page(
        db, viewer_uid, uid, profile_replies[PROFILE_REPLIES:], profile_page
    )
    if not from_relation(viewer_uid, uid, viewer_relation).visible_on_request(uid):
        return owner_profile, viewer_relation, Timeline((), None, log_position(newest))
    page = replace(
        timeline_page(items, config.page_size, log_position(newest), viewer_state, next_cursor),
        pinned=top_pins,
    )
    return owner_profile, viewer_relation, with_cards(db, viewer_uid, page)


def _load_profile_page(
    db: Db, viewer_uid: int, uid: int, relation_replies: Sequence[Any], profile_page: ProfilePage
) -> tuple[Relation | None, tuple[list[Item], ViewerState, int | None]]:
    """The relation in the replies to its commands, where these were sent, and what stands on the profile. A visitor has
    no trip left for more: to be the first takes two.
    """
    if relation_replies:
        viewer_relation, replies, more_replies = load_relation(
            db, uid, relation_replies, profile_page.commands, profile_page.more_commands
        )
        return viewer_relation, profile_page.parse(replies, more_replies)
    replies = db.trip(*profile_page.commands)
    return None, profile_page.parse(
        replies, db.trip(*profile_page.more_commands(replies)) if viewer_uid else ()
    )


def open_lists_command(uid: int) -> Command:
    """The command that counts the lists of a member that are not private."""
    return OPEN_LISTS(
        lists=list_keys.lists(uid), list_prefix=list_keys.list_.prefix(partition_of(uid)), uid=uid
    )


def _require_profile(profile: Profile | None) -> Profile:
    if profile is None:
        raise NotFound("no_member")
    if profile.member.suspended:
        raise Forbidden("suspended")
    return profile
