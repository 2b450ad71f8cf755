"""Group the posts of a list that answer each other."""

from collections.abc import Iterable, Iterator

from webapp.statuses.items import Item
from webapp.statuses.status import Status

# status.css draws a line between the posts beside it. In the second, the lower answers the upper.
JOINT = b'<span class="joint"></span>\n'
REPLY_JOINT = b'<span class="joint joint-reply"></span>\n'


def reply_runs(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Yield the items of a page, newest first, in runs of posts that answer each other.

    A run begins with its oldest post. Most have one item.
    """
    run: list[Item] = []
    for item in items:
        if run and not answers(run[-1], item):
            yield run[::-1]
            run = []
        run.append(item)
    if run:
        yield run[::-1]


def joint(above: Status, below: Status) -> bytes:
    """Return the line that joins two posts of a list, b"" if they are of different threads.

    A reply above the post that it answers is joined to it if both have the same author.
    """
    if answers(below, above):
        return REPLY_JOINT
    is_joined = above.author.uid == below.author.uid and answers(above, below)
    return JOINT if is_joined else b""


def answers(reply: Item, item: Item) -> bool:
    """Return True if the first of two items is a reply to the second, and neither is a boost."""
    if not isinstance(reply, Status) or not isinstance(item, Status):
        return False
    return reply.in_reply_to is not None and reply.in_reply_to.id == item.id
