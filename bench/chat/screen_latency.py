"""From a member's POST to the screens of 500 members who have one chat open.

One machine runs the store, one web process, a worker, the stream process and all the clients.
Members send over HTTP at an even pace, form token and all. The time runs from just before the POST
is written to when a client has read the message's event with its HTML; each member gets each
message once, the sender too. The reference is how long the POST itself takes until it is answered.
"""

import re
import time
from contextlib import ExitStack
from functools import partial
from statistics import median

from bench.http import get
from bench.site import Site, add_members, site
from bench.stream.capacity import P99_MS, milliseconds, p99
from bench.stream.clients import Client, Crowd, Watch, crowd
from bench.stream.posting import Poster, Posting, until
from bench.stream.processes import stream, web, worker
from bench.table import Figure
from webapp.accounts.sessions import store as sessions
from webapp.accounts.sessions.cookie_value import COOKIE_NAME
from webapp.chat import reading
from webapp.chat.members import group_chats
from webapp.chat.models import Content
from webapp.core.events.inline import drain
from webapp.registry import REGISTRY

MEMBERS, RATE = 500, 10  # who has the chat open; messages a second
SECONDS, WARM_SECONDS = 30.0, 5.0
SENDERS = 4  # connections over which messages are sent
PAUSE_SECONDS = 2.0
EVENT = re.compile(rb"^event: message$", re.MULTILINE)
NUMBER = re.compile(rb"bench(\d{7})")


class Screen(Client):
    """Record when the event of each message has arrived completely."""

    def __init__(self, many: Crowd, request: bytes, number: int, watch: Watch) -> None:
        super().__init__(many, request)
        self._number, self._watch = number, watch

    def process(self, nbytes: int) -> None:
        now, data = time.perf_counter(), self._tail + self.read(nbytes)
        whole, end, rest = data.rpartition(b"\n\n")
        self._tail = rest if end else data
        for event in whole.split(b"\n\n") if end else ():
            number = NUMBER.search(event)
            if number and EVENT.search(event):
                self._watch.received(int(number[1]), self._number, now)


def measure() -> list[Figure]:
    """Measure median and 99th percentile from POST to screen, and losses."""
    with site() as here, ExitStack() as stack:
        many, watch = stack.enter_context(crowd()), Watch()
        cid = _chat(here)
        live, page = stack.enter_context(stream(here)), stack.enter_context(web(here))
        stack.enter_context(worker(here))
        _open(here, many, live.port, cid, watch)
        posters = [_poster(here, page.port, uid, cid) for uid in range(1, SENDERS + 1)]
        for poster in posters:
            stack.callback(poster.close)
        posting = Posting(posters, watch, RATE)
        warm = _send(posting, watch, 0, WARM_SECONDS)
        del watch.seconds[:], posting.answers[:]
        time.sleep(PAUSE_SECONDS)
        began, busy = time.monotonic(), live.busy()
        _send(posting, watch, warm, SECONDS)
        busy = 100 * (live.busy() - busy) / (time.monotonic() - began)
        took, answers = milliseconds(watch.seconds), milliseconds(posting.answers)
        lost = watch.missing + watch.unexpected + many.cut
    which = f"POST to {MEMBERS} screens in one chat, {RATE} messages/s"
    return [
        Figure(
            f"{which}, median (reference: POST to its answer)", median(took), "ms", median(answers)
        ),
        Figure(f"{which}, p99 (same)", p99(took), "ms", p99(answers), None, P99_MS, True),
        Figure("messages to screens", len(took) / SECONDS, "/s"),
        Figure("processor time of the stream process meanwhile, of one core", busy, "%"),
        Figure("lost, sent twice, and cut", lost, "", target=0, at_most=True),
    ]


def _chat(here: Site) -> str:
    add_members(here.db, range(1, MEMBERS + 1))
    others = list(range(2, MEMBERS + 1))
    cid = group_chats.create(
        here, 1, "private", "Larks", others, Content(text="Good morning!"), "bench"
    )
    drain(here, REGISTRY)
    return cid


def _open(here: Site, many: Crowd, port: int, cid: str, watch: Watch) -> None:
    """Open the chat for every member, as its page does."""
    chat = here.db.read(reading.open_page(1, cid, size=1)).chat
    path = f"/stream/chats?chat={cid}&since={chat.last_id}.{chat.revision}"
    makers = []
    for uid in range(1, MEMBERS + 1):
        cookie = f"{COOKIE_NAME}={sessions.start(here, uid)}"
        makers.append(partial(Screen, many, get(path, cookie), uid, watch))
    many.open(port, makers)
    time.sleep(PAUSE_SECONDS)


def _poster(here: Site, port: int, uid: int, cid: str) -> Poster:
    return Poster(here, port, uid, f"/chats/{cid}", f"/chats/{cid}/messages")


def _send(posting: Posting, watch: Watch, first: int, seconds: float) -> int:
    """Send for `seconds` and wait until every member has everything. Return the next number."""
    last = first + int(seconds * RATE)
    posting.run(
        first,
        [(f"Larks sing bench{at:07}", set(range(1, MEMBERS + 1))) for at in range(first, last)],
    )
    until(lambda: not watch.missing, 30)
    return last
