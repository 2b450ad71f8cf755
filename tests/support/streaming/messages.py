"""Messages for tests of the hub."""

from webapp.streaming.log.messages import Message

ANN, BEN, CID = 1, 2, 3


def update(time: int, author: int, status: int = 0) -> Message:
    """A new status at a position of the log."""
    return Message((time, 0), "update", author, status or time, b"%d" % time)


def delete(time: int, author: int, status: int) -> Message:
    """The deletion of a status."""
    return Message((time, 0), "delete", author, status, b"delete")


def hide(time: int, author: int) -> Message:
    """The suspension or removal of an author."""
    return Message((time, 0), "hide", author, 0, b"hide")
