"""Rebuilding a home: at the first visit after a long absence, or if entries are missing below."""

from collections.abc import Iterator

from webapp.config import Config
from webapp.core.store import Command, Read, Site, gather, results_of, script, send
from webapp.core.store.schema import partition_tag
from webapp.core.web import overfetch
from webapp.statuses import FilterSet, Item, Skeleton, Timeline, keys as status_keys
from webapp.statuses.interactions import keys as interaction_keys
from webapp.timelines.entries import id_of
from webapp.timelines.home.snapshot import HomeSnapshot
from webapp.timelines.home.stored_home import RebuildStart
from webapp.timelines.hydration import page_from_candidates
from webapp.timelines.pull.pulled_entries import TagEntries
from webapp.timelines.pull.sources import NO_PAGES, Sources, missing_pages, with_cached_pages

from .candidates import AuthorList, Candidates, RebuiltTimeline, first_candidates

MERGE = script("timelines/home/lua/merge.lua")
ENTRIES_PER_LIST = 200  # entries read of each list, unless that is too many of all together


def rebuilt_page(
    site: Site, snapshot: HomeSnapshot, start: RebuildStart, filters: FilterSet
) -> Timeline[Item]:
    """Return a page of a home from the lists of its authors, and store the home. Two trips.

    Deliveries resume when the rebuild begins, so nothing posted meanwhile is missed. After a crash,
    or if the member's follows change meanwhile, the home stays marked as cut and the next visit
    rebuilds it. So does a visit that reaches the end of what was read. The page has no quote cards.
    """
    tagged, pushed, pulled = site.db.read(_candidates(site, snapshot, start))
    complete_to = max(pushed.complete_to, pulled.complete_to, tagged.complete_to)
    by_id = {id_of(entry): entry for entry in (*tagged.entries, *pushed.entries, *pulled.entries)}
    kinds = snapshot.home.kinds
    entries = [
        by_id[entry_id]
        for entry_id in sorted(by_id, reverse=True)
        if entry_id >= complete_to and kinds.shows_entry(by_id[entry_id])
    ]
    candidates = Skeleton(entries, complete_to or None, position=snapshot.position)
    page = page_from_candidates(site, snapshot.uid, candidates, "home", filters=filters)
    return results_of(site.db, page, send(_merge_command(site.config, snapshot, start, pushed)))[0]


def _candidates(
    site: Site, snapshot: HomeSnapshot, start: RebuildStart
) -> Read[tuple[TagEntries, Candidates, Candidates]]:
    """Read entries of followed hashtags and of authors.

    Those of pushed authors are for all of the home, those of pull authors for a page.
    """
    uid, before, size = snapshot.uid, snapshot.before, site.config.page_size
    tags = Sources(snapshot.home.sources.tags)
    pull_authors = {*snapshot.home.sources.authors} - {uid}
    authors = {uid, *start.followed_uids}
    pushed_lists = [
        AuthorList(author, key)
        for author in authors
        for key in _pushed_lists(uid, author, author not in pull_authors)
    ]
    pull_lists = [
        AuthorList(author, key) for author in pull_authors for key in _shared_lists(author)
    ]
    whole_home = RebuiltTimeline(uid, authors, site.config.home_max)
    one_page = RebuiltTimeline(uid, authors, overfetch(size))
    cached = with_cached_pages(site, tags, before, NO_PAGES)
    return gather(
        missing_pages(site, tags, before, cached).map(
            lambda pages: pages.tag_entries(tags, site.config, frozenset())
        ),
        first_candidates(whole_home, pushed_lists, before, max(ENTRIES_PER_LIST, size)),
        first_candidates(one_page, pull_lists, before, size),
    )


def _merge_command(
    config: Config, snapshot: HomeSnapshot, start: RebuildStart, pushed: Candidates
) -> Command:
    """Return the command that stores a rebuilt home, provided `start` still holds."""
    uid = snapshot.uid
    return MERGE(
        tag=partition_tag(uid),
        uid=uid,
        source="",
        token=0,
        home_max=config.home_max,
        home_slack=config.home_slack,
        complete_to=pushed.complete_to or "",
        mark=start.mark,
        version=start.follows_version,
        before=snapshot.before or "",
        entries=pushed.entries,
    )


def _pushed_lists(uid: int, author: int, is_pushed: bool) -> Iterator[str]:
    """Yield the keys of an author's lists that go into a follower's home, or the author's own.

    Of a pull author only statuses that mention the follower are pushed.
    """
    yield status_keys.restricted_statuses(author, uid)
    if is_pushed:
        yield from _shared_lists(author, is_own=author == uid)


def _shared_lists(author: int, is_own: bool = False) -> Iterator[str]:
    """Yield the keys of an author's lists that are the same for all followers."""
    yield from (status_keys.profile_statuses(author), status_keys.profile_replies(author))
    if not is_own:
        yield interaction_keys.member_boosts(author)
        yield status_keys.restricted_statuses(author, status_keys.FOLLOWERS_AUDIENCE)
