"""The entries of timelines, as their sorted sets name them.

A status is `id:author`, or `id:author:reply_to` if it answers another member. A boost is
`id:booster:author=status`. In Lua, `includes/parse_entry.lua` reads the same.
"""

from functools import lru_cache

from webapp.statuses import BoostRef, Entry
from webapp.statuses.boost_refs import ref_from_entry


@lru_cache(20_000)  # many homes have the same entries
def parse_entry(entry: str) -> Entry | BoostRef:
    """Parse an entry. Both kinds begin with the id and its owner's uid."""
    if "=" in entry and (ref := ref_from_entry(entry)):
        return ref
    status_id, author, *_ = entry.split(":")
    return int(status_id), int(author)


def id_of(entry: str) -> int:
    """Return the id of an entry: the status's, or the boost's."""
    return parse_entry(entry)[0]


def poster_of(entry: str) -> int:
    """Return the uid of a status's author, or of who boosts."""
    return parse_entry(entry)[1]


def format_status_entry(status_id: int | str, author: int | str, reply_to: int | str = "") -> str:
    """Return the entry of a status. `reply_to`: the uid of another member that it answers."""
    return f"{status_id}:{author}:{reply_to}" if reply_to else f"{status_id}:{author}"
