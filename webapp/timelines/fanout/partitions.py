"""Group members by partition: one script writes for all on one server, one each on a Cluster."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from webapp.core.events.outbox import Context, Event
from webapp.core.store import PARTITIONS
from webapp.core.store.schema import PARTITION_TAGS


def group_by_fence(
    context: Context, event: Event, uids: Sequence[str]
) -> Iterator[tuple[str, dict[int, list[str]]]]:
    """Yield for each script the hash tag of its fences, and its members by partition."""
    groups = group_by_partition(uids)
    if context.db.is_single_server:
        yield PARTITION_TAGS[event.partition], groups
    else:
        for partition, members in groups.items():
            yield PARTITION_TAGS[partition], {partition: members}


def group_by_partition(uids: Iterable[str]) -> dict[int, list[str]]:
    """Return members by their partition."""
    groups: dict[int, list[str]] = defaultdict(list)
    for uid in uids:
        groups[int(uid) % PARTITIONS].append(uid)
    return groups
