"""A page of a member's posts and boosts on their profile."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.config import Config
from webapp.core.events.outbox import current_position
from webapp.core.store import Read, Site, Steps, ask, gather, results_of
from webapp.core.web import overfetch
from webapp.statuses import BoostRef, Hydrated, Status, StoredStatus, Timeline, hydrate
from webapp.statuses.boost_refs import newest_boosts
from webapp.statuses.edits.pins import pinned
from webapp.statuses.items import Item, status_entries, status_of
from webapp.statuses.listings.pipeline import ALL, Listing, Skeleton, incomplete_page
from webapp.statuses.listings.timeline import completed
from webapp.statuses.visibility.author_page import AuthorPage, author_page
from webapp.statuses.visibility.relationships import from_relation

from .profile_tabs.head import ProfileHead, ProfilePage, profile_head, with_familiar


@dataclass(frozen=True, slots=True)
class _StoredProfile:
    """The results of the first trip."""

    head: ProfileHead
    position: str
    statuses: AuthorPage
    pinned: tuple[StoredStatus, ...]
    boosts: Sequence[BoostRef]


@dataclass(frozen=True, slots=True)
class ProfileQuery:
    """The page of a profile that somebody opens.

    `viewer`: None for a visitor. `before`: the cursor below which the page begins. `with_replies`:
    with replies to others, and nothing pinned. `with_pins`: with pinned statuses apart from the
    others. `owner`: the uid of the login, if it is known.
    """

    login: str
    viewer: Member | None = None
    before: int | None = None
    with_replies: bool = False
    with_pins: bool = True
    with_boosts: bool = True
    owner: int | None = None

    @property
    def viewer_uid(self) -> int:
        """Return the viewer's uid, 0 for a visitor."""
        return self.viewer.uid if self.viewer else 0

    def boosts_limit(self, config: Config) -> int:
        """Return how many boosts to read: some may be hidden."""
        return overfetch(config.page_size) if self.with_boosts else 0


def profile_page(site: Site, query: ProfileQuery) -> ProfilePage:
    """Return a profile, with a page of its statuses and boosts, newest first.

    Pinned statuses come before the first page; they are left out below.

    At most four trips, one more without `query.owner`, and one more for quote cards or recent
    counts. A page may be short if many boosts are hidden; `next` then continues. If one of both
    blocks the other there are no statuses. Raises NotFound; Forbidden if the member is suspended.
    """
    uid = query.owner or site.db.read(accounts.uid_by_login(query.login))
    stored = site.db.read(_stored_profile(site.config, query, uid))
    steps = _timeline(site.config, query, stored), with_familiar(stored.head.relation, uid)
    page, viewer_relation = results_of(site.db, *steps)
    return ProfilePage(stored.head.profile, viewer_relation, page)


def _stored_profile(config: Config, query: ProfileQuery, uid: int) -> Read[_StoredProfile]:
    """Read the parts that do not depend on other replies."""
    viewer, before = query.viewer_uid, query.before
    size, with_replies = _fetch_size(config), query.with_replies
    return gather(
        profile_head(config, uid, viewer),
        current_position(),
        author_page(uid, before, size, with_replies, viewer, is_follower=viewer not in (0, uid)),
        pinned(config, uid),
        newest_boosts(uid, before, query.boosts_limit(config)),
    ).map(lambda results: _StoredProfile(*results))


def _timeline(config: Config, query: ProfileQuery, stored: _StoredProfile) -> Steps[Timeline[Item]]:
    """Return the page of statuses and boosts. Two steps; one more for quote cards or recent counts.

    A visitor's page takes one less: as the first visitor's page it takes two trips elsewhere.
    """
    member, viewer, size = stored.head.profile.member, query.viewer_uid, config.page_size
    relationship = from_relation(viewer, member.uid, stored.head.relation)
    if not relationship.visible_on_request(member.uid):
        return Timeline((), None, stored.position)
    pins: list[Status] = []
    if query.with_pins and not query.with_replies:
        loaded = (status.with_author(member) for status in stored.pinned)
        pins = [pin for pin in loaded if pin and relationship.may_see_status(pin)]
    may_see_boosts = relationship.may_see_boosts_by(member)
    skeleton = _skeleton(config, query, stored, pins, stored.boosts if may_see_boosts else ())
    shown_pins = pins if query.before is None else []
    others = status_entries([*shown_pins, *skeleton.loaded[: size + 1]])
    listing: Listing[BoostRef, Item] = Listing(
        lambda boosts, further: hydrate(
            boosts,
            viewer,
            other_statuses=others,
            other_uids={boost.author_uid for boost in further},
        ),
        lambda found: _visible_boosts(found, member.uid, shown_pins),
        (_fetch_size(config), ALL) if viewer else (_fetch_size(config),),
        lambda found: found.relationship.hidden_in_timelines - {member.uid},
    )
    cut = yield from incomplete_page(listing, skeleton, size)
    return (yield from ask(completed(viewer, replace(cut, pinned=tuple(shown_pins)))))


def _skeleton(
    config: Config,
    query: ProfileQuery,
    stored: _StoredProfile,
    pins: Sequence[Status],
    boosts: Sequence[BoostRef],
) -> Skeleton[BoostRef]:
    """Return the boosts that may be on the page, and the statuses, which are loaded already."""
    follows = stored.head.viewer_follows
    statuses = stored.statuses.statuses(stored.head.profile.member, is_follower=follows)
    posts = [status for status in statuses if status not in pins]
    posts_end = stored.statuses.complete_to(follows)
    lowest = posts[config.page_size].id if len(posts) > config.page_size else posts_end
    is_cut = bool(boosts) and len(boosts) == query.boosts_limit(config)
    boosts_end = boosts[-1].id if is_cut else 0
    end = boosts_end if boosts_end > lowest else posts_end
    shown = [boost for boost in boosts if boost.id > lowest]
    return Skeleton(shown, end or None, position=stored.position, loaded=posts)


def _visible_boosts(found: Hydrated, uid: int, pins: Collection[Status]) -> list[Item]:
    """Return the boosts that the profile of `uid` shows, but those of its pinned statuses."""
    pinned_ids = {pin.id for pin in pins}
    return [item for item in found.visible_on_profile(uid) if status_of(item).id not in pinned_ids]


def _fetch_size(config: Config) -> int:
    """Return how many statuses to read: a page, one more, and those that may be pinned."""
    return config.page_size + 1 + config.pinned_max
