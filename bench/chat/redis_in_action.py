"""Chat groups as Josiah L. Carlson's *Redis in Action* has them: section 6.5.2, listings 6.24 to
6.28, with the lock of section 6.2. This is our own port of the algorithm to Python 3 and redis-py,
command for command, as a reference for measurements. Nothing was made faster, and nothing slower.

chat:<id> zset of members → the last message each has fetched · seen:<member> zset of chats → the
same, the other way round · msgs:<id> zset of JSON → message id · ids:<id> the last message id ·
ids:chat: the last chat id.
"""

import json
import time
import uuid
from collections.abc import Sequence
from typing import Any

from redis import Redis
from redis.exceptions import WatchError

LOCK_SECONDS = 10.0  # how long somebody waits for a lock
LOCK_PAUSE = 0.001  # seconds between two tries


class NotLocked(Exception):
    """Raised if another client held the lock for the whole timeout."""


def create_chat(conn: Redis, sender: str, recipients: Sequence[str], text: str) -> str:
    """Create a chat with a first message. Return its id. (6.24)"""
    chat = str(conn.incr("ids:chat:"))
    everybody = [*recipients, sender]
    pipeline = conn.pipeline(True)
    pipeline.zadd(f"chat:{chat}", dict.fromkeys(everybody, 0))
    for member in everybody:
        pipeline.zadd(f"seen:{member}", {chat: 0})
    pipeline.execute()
    send_message(conn, chat, sender, text)
    return chat


def send_message(conn: Redis, chat: str, sender: str, text: str) -> int:
    """Send a message under the lock of the chat, which keeps stored order and numbers equal.

    Return the number of the message. (6.25)
    """
    holder = acquire_lock(conn, f"chat:{chat}")
    try:
        number = int(conn.incr(f"ids:{chat}"))
        message = {"id": number, "ts": time.time(), "sender": sender, "message": text}
        conn.zadd(f"msgs:{chat}", {json.dumps(message): number})
    finally:
        release_lock(conn, f"chat:{chat}", holder)
    return number


def fetch_pending(conn: Redis, member: str) -> list[tuple[str, list[dict[str, Any]]]]:
    """Return the pending messages of a member by chat, and mark them fetched.

    Delete messages that every member has fetched. (6.26)
    """
    seen = conn.zrange(f"seen:{member}", 0, -1, withscores=True)
    pipeline = conn.pipeline(True)
    for chat, upto in seen:
        pipeline.zrangebyscore(f"msgs:{chat}", upto + 1, "inf")
    found = []
    for (chat, _), packed in zip(seen, pipeline.execute(), strict=True):
        if not packed:
            continue
        messages = [json.loads(one) for one in packed]
        newest = messages[-1]["id"]
        conn.zadd(f"chat:{chat}", {member: newest})
        slowest = conn.zrange(f"chat:{chat}", 0, 0, withscores=True)
        pipeline.zadd(f"seen:{member}", {chat: newest})
        if slowest:
            pipeline.zremrangebyscore(f"msgs:{chat}", 0, slowest[0][1])
        found.append((chat, messages))
    pipeline.execute()
    return found


def join_chat(conn: Redis, chat: str, member: str) -> None:
    """Add a member, who gets later messages. (6.27)"""
    newest = int(conn.get(f"ids:{chat}"))
    pipeline = conn.pipeline(True)
    pipeline.zadd(f"chat:{chat}", {member: newest})
    pipeline.zadd(f"seen:{member}", {chat: newest})
    pipeline.execute()


def leave_chat(conn: Redis, chat: str, member: str) -> None:
    """Remove a member, and messages that all others fetched, or an empty chat. (6.28)"""
    pipeline = conn.pipeline(True)
    pipeline.zrem(f"chat:{chat}", member)
    pipeline.zrem(f"seen:{member}", chat)
    pipeline.zcard(f"chat:{chat}")
    if not pipeline.execute()[-1]:
        conn.delete(f"msgs:{chat}", f"ids:{chat}")
        return
    [(_, upto)] = conn.zrange(f"chat:{chat}", 0, 0, withscores=True)
    conn.zremrangebyscore(f"msgs:{chat}", 0, upto)


def acquire_lock(conn: Redis, name: str) -> str:
    """Acquire a lock by SETNX with retries. Return its token. Raises NotLocked. (6.2)"""
    holder = str(uuid.uuid4())
    end = time.time() + LOCK_SECONDS
    while time.time() < end:
        if conn.setnx(f"lock:{name}", holder):
            return holder
        time.sleep(LOCK_PAUSE)
    raise NotLocked(name)


def release_lock(conn: Redis, name: str, holder: str) -> bool:
    """Release a lock if the token still holds it. (6.2)"""
    key = f"lock:{name}"
    pipeline = conn.pipeline(True)
    while True:
        try:
            pipeline.watch(key)
            if pipeline.get(key) != holder:
                pipeline.unwatch()
                return False
            pipeline.multi()
            pipeline.delete(key)
            pipeline.execute()
            return True
        except WatchError:
            continue
