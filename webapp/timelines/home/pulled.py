"""Select the posts of pull authors that a home shows. They are merged when the home is read."""

from collections.abc import Iterator, Sequence, Set

from webapp.config import Config
from webapp.core.store import Read, listed_in
from webapp.following import keys as following_keys
from webapp.statuses import BoostRef, Entry, Item, Relationship, Status
from webapp.statuses.hydration import status_entry
from webapp.statuses.items import status_entries
from webapp.timelines.entries import id_of, parse_entry
from webapp.timelines.pull.pulled_entries import AuthorPosts

from .merging import MergedEntries


def statuses_beyond_home(
    merged: MergedEntries, pulled: AuthorPosts, boosts: Sequence[BoostRef]
) -> list[Entry]:
    """Return the statuses of which the home's script did not read the member's interactions."""
    return [
        *(status_entry(parse_entry(entry)) for entry in merged.tag_only),
        *status_entries(pulled.statuses),
        *map(status_entry, boosts),
    ]


def visible_pulled(
    merged: MergedEntries,
    pulled: AuthorPosts,
    boosts: Sequence[Item | None],
    relation: Relationship,
    reply_targets: Set[int],
) -> Iterator[Item]:
    """Yield the boosts and statuses of pull authors that the member may see."""
    for boost in boosts:
        if boost and relation.is_visible_in_timelines(boost):
            yield boost
    for status in pulled.statuses:
        if status.id >= merged.floor and status.reply_to_uid in reply_targets:
            yield status


def pulled_boosts(
    config: Config, merged: MergedEntries, pulled: AuthorPosts
) -> tuple[list[BoostRef], int]:
    """Return boosts that may be on the page, and the id below which others are left out (or 0)."""
    if not pulled.boosts:
        return [], 0
    ids = [*map(id_of, merged.entries), *(status.id for status in pulled.statuses)]
    ids += [boost.id for boost in pulled.boosts]
    size = max(config.page_size + 1, len(merged.entries))
    last_on_page = sorted(ids, reverse=True)[:size][-1]
    lowest = max(merged.floor, last_on_page)
    more_below = any(merged.floor <= boost.id < lowest for boost in pulled.boosts)
    boosts = [boost for boost in pulled.boosts if boost.id >= lowest]
    return boosts, lowest if more_below else 0


def visible_reply_targets(uid: int, statuses: Sequence[Status]) -> Read[frozenset[int]]:
    """Read to whom replies may show: nobody else (0), the member, and members they follow."""
    always = frozenset({0, uid})
    others = sorted({status.reply_to_uid for status in statuses} - always)
    return listed_in(following_keys.following(uid), others).map(always.union)
