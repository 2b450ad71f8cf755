"""Read a page of a stored home, as its member may see it, and delete homes of those who left."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from webapp.accounts import keys as account_keys
from webapp.config import Config
from webapp.core.store import Command, Site, script
from webapp.core.web import max_bound
from webapp.statuses import ViewerState
from webapp.statuses.items import BOOST_DEDUPE_WINDOW
from webapp.statuses.viewer.viewer_state import EMPTY_STATE, viewer_state_from_script
from webapp.timelines.pull.sources import Sources

from .kinds import ALL_KINDS, HomeKinds, parse_kinds

READ_HOME = script("timelines/home/lua/read_home.lua")
HOME_GROUPS_MAX = 50  # groups whose posts a home shows
OVERFETCH = 5  # extra entries read, in case some are deleted or hidden
EXPIRE_INACTIVE = script("timelines/lua/expire_inactive.lua")
EXPIRE_BATCH = 500  # timelines that one call deletes


class HomeState(Enum):
    """The state of a stored home below the entries that were read."""

    ABSENT = "absent"  # it is not stored
    CUT = "cut"  # entries are missing at its end, and it is shorter than it should be
    MORE = "more"
    CAPPED = "capped"  # it ends here, being full
    END = "end"


@dataclass(frozen=True, slots=True)
class RebuildStart:
    """The state of a home when its rebuild began; it ends only if these still hold.

    `mark`: the time of its newest cut. `follows_version`: of the list of follows.
    """

    mark: str
    follows_version: str
    followed_uids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class StoredHome:
    """A page of a stored home: entries that the member may see, newest first.

    `hidden_uids`: authors to leave out of followed hashtags. `rebuild`: set if the home is absent
    or cut; then it has no entries. `kinds`: what the member hides.
    """

    state: HomeState
    entries: Sequence[str]
    sources: Sources
    hidden_uids: frozenset[int]
    viewer_state: ViewerState
    rebuild: RebuildStart | None = None
    kinds: HomeKinds = ALL_KINDS


def read_home_command(
    config: Config,
    uid: int,
    before: int | None,
    session_key: str | None = None,
    size: int = 0,
) -> Command:
    """Return the command that reads the stored home. `size`: entries, 0 for those of a page."""
    return READ_HOME(
        session=session_key,
        uid=uid,
        bound=max_bound(before),
        size=size or config.page_size + 1 + OVERFETCH,
        home_max=config.home_max,
        window=BOOST_DEDUPE_WINDOW,
        groups_max=HOME_GROUPS_MAX if "groups" in config.enabled_features else 0,
    )


def parse_home(uid: int, reply: Sequence[Any]) -> StoredHome:
    """Return the home of the reply to `read_home_command`."""
    state_name, entries, pull_uids, tag_names, hidden_uids, details, hides = reply
    kinds = parse_kinds(uid, hides)
    state = HomeState(state_name)
    sources = Sources(tuple(tag_names), tuple(map(int, pull_uids)))
    if state in (HomeState.ABSENT, HomeState.CUT):
        mark, version, followed_uids = details
        rebuild = RebuildStart(mark, version, tuple(map(int, followed_uids)))
        return StoredHome(state, (), sources, frozenset(), EMPTY_STATE, rebuild, kinds)
    hidden = frozenset(map(int, hidden_uids))
    interactions = viewer_state_from_script(details)
    return StoredHome(state, entries, sources, hidden, interactions, kinds=kinds)


def expire_inactive(site: Site, partition: int) -> int:
    """Delete homes of members who stayed away for `home_days`; return how many. One trip."""
    return expire(site, account_keys.active_members(partition), account_keys.home.prefix(partition))


def expire(site: Site, active: str, timelines: str) -> int:
    """Delete timelines that nobody read for `home_days`; return how many. One trip.

    `active`: the key of their last visits by name. `timelines`: the prefixes of their keys.
    """
    reply = site.run(
        EXPIRE_INACTIVE,
        active=active,
        timelines=timelines,
        max_age=site.config.home_days * 86_400,
        limit=EXPIRE_BATCH,
    )
    return int(reply)
