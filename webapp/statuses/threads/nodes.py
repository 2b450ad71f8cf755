"""Descendants of a status, as a page lists them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from webapp.statuses.status import Status

from .replies import DEPTH_MAX, PathStep, ThreadPath


@dataclass(frozen=True, slots=True)
class Tombstone:
    """The place of a status that is deleted, or that the viewer does not see."""

    deleted: bool


@dataclass(frozen=True, slots=True)
class ThreadNode:
    """A descendant, `depth` levels below the page's status."""

    content: Status | Tombstone
    depth: int
    has_more_replies: bool = False  # only its own page shows them


def thread_nodes(
    paths: Sequence[ThreadPath],
    contents: Mapping[PathStep, Status | Tombstone],
    after: ThreadPath,
) -> Iterator[ThreadNode]:
    """Yield the statuses on paths, each once. Tombstones that lead to nothing are left out.

    What led to the cursor `after` was on the last page; so was its end, unless it is a tombstone.
    """
    seen = {step for step in after if step != after[-1] or isinstance(contents.get(step), Status)}
    for path in paths:
        if isinstance(contents[path[-1]], Tombstone):
            continue
        for depth, step in enumerate(path, 1):
            if step in seen:
                continue
            seen.add(step)
            content = contents[step]
            has_replies = isinstance(content, Status) and content.replies > 0
            yield ThreadNode(content, depth, depth == DEPTH_MAX and has_replies)
