"""Find the position in the log at which a client's stream begins."""

from __future__ import annotations

import asyncio
from typing import NamedTuple

from webapp.streaming.event_log import EventLog
from webapp.streaming.http.requests import Resume
from webapp.streaming.hub.hub import Hub
from webapp.streaming.log.position import LOG_START, LogPosition

# How long a status may take from the log into homes, so that a page may lack it.
PAGE_LAG_MS = 10_000


class Start(NamedTuple):
    """The beginning of a stream."""

    position: LogPosition | None  # everything after it is sent; None if the log has lost that
    page_position: LogPosition = LOG_START  # where the client's page was rendered, if it was


async def find_start(
    hub: Hub, log: EventLog, resume: Resume | None, log_position: LogPosition
) -> Start:
    """Return the start of the stream of a client that was at `resume`.

    `log_position`: where the log was as the client came. Two trips at most, if the position is
    older than the replay buffer or newer than the log. Raises Unavailable.
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
