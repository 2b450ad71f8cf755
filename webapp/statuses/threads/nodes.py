"""Descendants of a status, as a page lists them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import chain

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
    level: int = 1  # indentation: that of its parent, if it continues that
    continues: bool = False  # a line leads to it from its parent, which has the same author
    leads_on: bool = False  # a line leads from it to replies on the page


def split_nodes(
    paths: Sequence[ThreadPath],
    contents: Mapping[PathStep, Status | Tombstone],
    after: ThreadPath,
    hidden: Set[int],
) -> tuple[tuple[ThreadNode, ...], tuple[ThreadNode, ...]]:
    """Return the nodes of paths, and those of paths through the statuses `hidden`."""
    shown = [path for path in paths if hidden.isdisjoint(status_id for status_id, _ in path)]
    folded = [path for path in paths if path not in shown] if hidden else []
    listed = set(chain(*shown))
    return (
        with_lines(thread_nodes(shown, contents, after)),
        with_lines(thread_nodes(folded, contents, after, listed)),
    )


def thread_nodes(
    paths: Sequence[ThreadPath],
    contents: Mapping[PathStep, Status | Tombstone],
    after: ThreadPath,
    listed: Set[PathStep] = frozenset(),
) -> Iterator[ThreadNode]:
    """Yield the statuses on paths, each once. Tombstones that lead to nothing are left out.

    The statuses up to the cursor `after` were on the last page; so was its end, unless it is a
    tombstone. Those `listed` are on this page already.
    """
    seen = {step for step in after if step != after[-1] or isinstance(contents.get(step), Status)}
    seen |= listed
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


def most_liked_first(nodes: Iterable[ThreadNode]) -> tuple[ThreadNode, ...]:
    """Return the nodes with the most liked direct replies first, each with what is below it."""
    branches: list[list[ThreadNode]] = []
    for node in nodes:
        if node.depth == 1 or not branches:
            branches.append([])
        branches[-1].append(node)
    branches.sort(key=_likes, reverse=True)
    return tuple(node for branch in branches for node in branch)


def _likes(branch: Sequence[ThreadNode]) -> int:
    content = branch[0].content
    return content.likes if isinstance(content, Status) else -1


def with_lines(nodes: Iterable[ThreadNode]) -> tuple[ThreadNode, ...]:
    """Return the nodes of a page with their levels, and the lines that join them.

    The last reply below a status continues it if both have the same author. So a thread that one
    member wrote is in one column.
    """
    listed = list(nodes)
    parents = _parents(listed)
    last_replies = {parent: index for index, parent in enumerate(parents) if parent is not None}
    result: list[ThreadNode] = []
    for index, (node, parent) in enumerate(zip(listed, parents, strict=True)):
        leads_on = index in last_replies
        if parent is None:
            result.append(replace(node, level=node.depth, leads_on=leads_on))
            continue
        above, is_last = result[parent], last_replies[parent] == index
        continues = is_last and _same_author(above, node)
        level = above.level + (not continues)
        result.append(replace(node, level=level, continues=continues, leads_on=leads_on))
    return tuple(result)


def _parents(nodes: Sequence[ThreadNode]) -> list[int | None]:
    """Return the index of the node that each one answers, None if it is not on the page."""
    newest: dict[int, int] = {}  # depth -> the newest node there
    parents: list[int | None] = []
    for index, node in enumerate(nodes):
        newest = {depth: at for depth, at in newest.items() if depth < node.depth}
        parents.append(newest.get(node.depth - 1))
        newest[node.depth] = index
    return parents


def _same_author(one: ThreadNode, other: ThreadNode) -> bool:
    first, second = one.content, other.content
    return (
        isinstance(first, Status)
        and isinstance(second, Status)
        and first.author.uid == second.author.uid
    )
