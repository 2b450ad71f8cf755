"""Timelines as Josiah L. Carlson's *Redis in Action* has them: chapter 8, listings 8.2 to 8.7, with
the task queue of section 6.4 and the login tokens of section 2.1. This is our own port of the
algorithm to Python 3 and redis-py, command for command, as a reference for measurements. Nothing
was made faster, and nothing slower.

user:<id> hash · users: login → id · status:<id> hash · status:id: the last id · home:<id>,
profile:<id> zset of status ids → unix seconds · following:<id>, followers:<id> zset of ids → unix
seconds · login: token → id · queue:<name> list. `public:` is not in the book: the newest statuses
of all, for a page that the others have.
"""

import json
import time
import uuid
from typing import Any

from redis import Redis

HOME_TIMELINE_SIZE = 1_000
POSTS_PER_PASS = 1_000
PUBLIC_SIZE = 4_000
QUEUE = "default"


def check_token(conn: Redis, token: str) -> str | None:
    """Return the member of a login token. (2.1)"""
    return conn.hget("login:", token)


def create_status(conn: Redis, uid: str, message: str) -> int | None:
    """Create a status and return its id. (8.2)"""
    pipeline = conn.pipeline(True)
    pipeline.hget(f"user:{uid}", "login")
    pipeline.incr("status:id:")
    login, number = pipeline.execute()
    if not login:
        return None
    status = {"message": message, "posted": time.time(), "id": number, "uid": uid, "login": login}
    pipeline.hset(f"status:{number}", mapping=status)
    pipeline.hincrby(f"user:{uid}", "posts")
    pipeline.execute()
    return int(number)


def get_status_messages(
    conn: Redis, uid: str, timeline: str = "home:", page: int = 1, count: int = 30
) -> list[Any]:
    """Return a page of a timeline. (8.3)"""
    statuses = conn.zrevrange(f"{timeline}{uid}", (page - 1) * count, page * count - 1)
    pipeline = conn.pipeline(True)
    for number in statuses:
        pipeline.hgetall(f"status:{number}")
    return [status for status in pipeline.execute() if status]


def follow_user(conn: Redis, uid: str, other: str) -> bool | None:
    """Follow a member. (8.4)"""
    if conn.zscore(f"following:{uid}", other):
        return None
    now = time.time()
    pipeline = conn.pipeline(True)
    pipeline.zadd(f"following:{uid}", {other: now})
    pipeline.zadd(f"followers:{other}", {uid: now})
    pipeline.zrevrange(f"profile:{other}", 0, HOME_TIMELINE_SIZE - 1, withscores=True)
    following, followers, statuses = pipeline.execute()[-3:]
    pipeline.hincrby(f"user:{uid}", "following", int(following))
    pipeline.hincrby(f"user:{other}", "followers", int(followers))
    if statuses:
        pipeline.zadd(f"home:{uid}", dict(statuses))
    pipeline.zremrangebyrank(f"home:{uid}", 0, -HOME_TIMELINE_SIZE - 1)
    pipeline.execute()
    return True


def post_status(conn: Redis, uid: str, message: str) -> int | None:
    """Post a status. (8.6)"""
    number = create_status(conn, uid, message)
    if not number:
        return None
    posted = conn.hget(f"status:{number}", "posted")
    if not posted:
        return None
    conn.zadd(f"profile:{uid}", {number: float(posted)})
    publish(conn, number, float(posted))
    syndicate_status(conn, uid, number, float(posted))
    return number


def publish(conn: Redis, number: int, posted: float) -> None:
    """Add a status to the public timeline. (Not in the book.)"""
    pipeline = conn.pipeline(False)
    pipeline.zadd("public:", {number: posted})
    pipeline.zremrangebyrank("public:", 0, -PUBLIC_SIZE - 1)
    pipeline.execute()


def syndicate_status(conn: Redis, uid: str, number: int, posted: float, start: float = 0) -> None:
    """Add a status to the homes of a thousand followers after `start`, and queue the others."""
    key = f"followers:{uid}"
    followers = conn.zrangebyscore(key, start, "inf", start=0, num=POSTS_PER_PASS, withscores=True)
    pipeline = conn.pipeline(False)
    for follower, followed_at in followers:
        start = followed_at
        pipeline.zadd(f"home:{follower}", {number: posted})
        pipeline.zremrangebyrank(f"home:{follower}", 0, -HOME_TIMELINE_SIZE - 1)
    pipeline.execute()
    if len(followers) >= POSTS_PER_PASS:
        execute_later(conn, QUEUE, "syndicate_status", [uid, number, posted, start])


def execute_later(conn: Redis, queue: str, name: str, arguments: list[Any]) -> str:
    """Add a call to a queue. (6.22)"""
    identifier = str(uuid.uuid4())
    conn.rpush(f"queue:{queue}", json.dumps([identifier, queue, name, arguments]))
    return identifier


def work(conn: Redis, queue: str = QUEUE) -> None:
    """Run the calls of a queue forever. (6.20)"""
    calls = {"syndicate_status": syndicate_status}
    while True:
        packed = conn.blpop([f"queue:{queue}"], 30)
        if packed:
            _, _, name, arguments = json.loads(packed[1])
            calls[name](conn, *arguments)
