"""Find where a client's stream begins in the log, and whom and what its topic follows."""

import asyncio
from typing import NamedTuple

from webapp.core.store import Db, Read, read
from webapp.following import keys as following_keys
from webapp.lists import lookup as lists
from webapp.streaming.http.requests import Resume
from webapp.streaming.hub.channels import FollowSet
from webapp.streaming.hub.followed_topics import Home, List
from webapp.streaming.hub.hub import Hub
from webapp.streaming.hub.topics import Topic
from webapp.streaming.log.position import LOG_START, LogPosition
from webapp.streaming.log_reader import LogReader
from webapp.timelines.tags import store as tags

# How long a status may take from the log into homes, so that a page may lack it.
PAGE_LAG_MS = 10_000


class Start(NamedTuple):
    """The beginning of a stream."""

    position: LogPosition | None  # everything after it is sent; None if the log has lost that
    page_position: LogPosition = LOG_START  # where the client's page was rendered, if it was


async def find_start(
    hub: Hub, log: LogReader, resume: Resume | None, log_position: LogPosition
) -> Start:
    """Return the start of the stream of a client that was at `resume`.

    `log_position`: where the log was as the client came. Two trips at most, if the position is
    older than the replay buffer or newer than the log.
    """
    if resume is None:
        return Start(log_position)
    position = resume.position
    if position is None:
        return Start(None)
    if not hub.replay_buffer.oldest <= position <= hub.position:
        log_range = await asyncio.to_thread(log.available_range)
        is_lost = position < log_range.oldest or (
            log_range.newest == LOG_START and not resume.from_page and position > LOG_START
        )
        if is_lost or not await asyncio.to_thread(log.has_been, position):
            return Start(None)
    if not resume.from_page:
        return Start(position)
    return Start(max(LOG_START, LogPosition(position.ms - PAGE_LAG_MS, 0)), position)


def load_follows(db: Db, topic: Topic) -> FollowSet:
    """Return the authors and hashtags that a home or a list shows. One trip."""
    if isinstance(topic, List):
        return FollowSet(db.read(lists.member_uids(topic.owner, topic.list_id)))
    if isinstance(topic, Home):
        return FollowSet(*db.fetch(_followed_uids(topic.owner), tags.followed(topic.owner)))
    return FollowSet()


def _followed_uids(uid: int) -> Read[list[int]]:
    command = ("ZRANGE", following_keys.following(uid), 0, -1)
    return read(command, lambda uids: [int(followed) for followed in uids])
