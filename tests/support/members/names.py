"""The index of names, as it is stored."""

from webapp.autocomplete import keys
from webapp.autocomplete.ranks import RANKS, rank_keys
from webapp.core.store import PARTITIONS, Db


def index_entries(db: Db) -> set[str]:
    """Return all entries of the index of names, each after its rank."""
    found = set()
    for partition in range(PARTITIONS):
        for rank in range(RANKS):
            entries = db.run(("ZRANGE", keys.name_index(partition, rank), 0, -1))
            found |= {f"{rank} {entry}" for entry in entries}
    return found


def ranks_of(db: Db, name: str) -> list[int]:
    """Return the ranks under which a hashtag is in the index."""
    scores = db.trip(*(("ZSCORE", key, name) for key in rank_keys(keys.tag_names, name)))
    return [rank for rank, score in enumerate(scores) if score is not None]
