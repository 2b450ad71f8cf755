"""Events: what happened, told once by the script that made it true and applied by the worker's projections.

joined {uid} · edited {uid, replaced} · signed_out {uid} · suspended {uid} · restored {uid} · protected {uid} ·
unprotected {uid} · removed {uid, login} · scrubbed {uid, up_to} · posted {id, author, mentions, of a reply: to, above,
unless public: vis, who} · deleted {the same, and where it had replies: answered} · followed {uid, target,
at, where it was asked for: asked} · unfollowed {uid, target} · requested {uid, target} · unrequested {uid, target} ·
accepted {uid, target} · refused {uid, target} · follower_removed {uid, target} · liked {uid, id, author} · unliked
{uid, id} · boosted {id (of the boost), uid, target, author} · unboosted {the same} · voted {uid, id, author, unless
public: vis} · poll_ended {id, author, unless public: vis} · retagged {uid} · blocked {uid, target} · unblocked {uid,
target} · muted {uid} · unmuted {uid} · chatted {chat, id, by, at} · chat_members {chat, uids, asked} · chat_gone {chat,
uids} · chat_swept {chat, names} · list_made {uid, list} · listed {uid, list, target} · unlisted {uid, list, target} ·
list_changed {uid, list} · list_gone {uid, list, members}. `mentions`: the logins in it, with blanks between, where
there are any
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from webapp.config import Config
from webapp.core.store.client import Db
from webapp.streaming import keys as stream_keys

GROUPS = ("log", "fanout")  # cheap projections that live readers wait for; long ones
WAKE_CHANNEL = "wake"  # the channel that scripts publish a partition's number to

NEWEST_LOG_ENTRY = (
    "XREVRANGE",
    stream_keys.event_log(),
    "+",
    "-",
    "COUNT",
    1,
)  # the last entry of the site's log

# The id of the request at work, carried into log lines and into the events it causes.
request_id: ContextVar[str] = ContextVar("request_id", default="-")


@dataclass(frozen=True, slots=True)
class Event:
    """One entry of an outbox, as a projection gets it. `token`: the fencing token of the lease it is applied under."""

    id: str
    partition: int
    group: str
    token: int
    type: str
    rid: str
    data: Mapping[str, str]

    @property
    def fence(self) -> tuple[str, int]:
        """(source, token), which `core/events/lua/includes/fence.lua` compares."""
        return f"{self.group}:{self.partition}", self.token


# Called between the batches of a long projection; raises LeaseLost when another worker has taken over.
Heartbeat = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Context:
    """What a projection works with."""

    db: Db
    config: Config
    heartbeat: Heartbeat


# Applies a run of events of one type and one partition, in order; safe to run twice.
Projection = Callable[[Context, Sequence[Event]], None]


def log_position(reply: Sequence[Any]) -> str:
    """The log id in a reply to NEWEST, which goes before what a page shows, in the same trip."""
    return str(reply[0][0]) if reply else "0-0"


def request_id_args() -> list[Any]:
    """The request id as a script's argument."""
    return [request_id.get()]
