"""Workers that are killed while members chat: lists and badges are exact in the end, and everything is fetched once."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from tests.conftest import PASSWORD
from tests.support.chat import badge, fetch_all, group, say, unread
from tests.support.processes import Site
from webapp.accounts import registration
from webapp.chat.inbox import chat_state
from webapp.chat.members import membership
from webapp.chat.messages import reading
from webapp.following import store as following

pytestmark = [pytest.mark.kill, pytest.mark.xdist_group("killing")]
BIRDS = ("wren", "lark", "finch", "swift")
KILLS = 4


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A store that is written to disk, and processes."""
    site = Site(tmp_path, lease_seconds=2, outbox_max=1_000_000)
    yield site
    site.close()


def test_workers_killed_while_members_chat_lose_and_repeat_nothing(site: Site) -> None:
    db, config = site.db, site.config
    birds = [registration.sign_up(db, config, bird, bird.title(), PASSWORD).uid for bird in BIRDS]
    for uid in birds[1:]:
        following.follow(db, config, uid, BIRDS[0])  # who brings them in, and need not ask
    cids = [group(db, config, birds[0], birds[1:]) for _ in range(3)]
    enough = Event()

    def chat(uid: int) -> dict[str, int]:
        """Sends until it is enough; comes and goes in the last chat. How much was sent to each."""
        sent = dict.fromkeys(cids, 0)
        while not enough.is_set():
            for cid in cids[:2]:
                say(db, config, uid, cid, f"{sent[cid]}")
                sent[cid] += 1
            if uid != birds[0]:
                membership.leave(db, config, uid, cids[2])
                membership.add(db, config, birds[0], cids[2], [uid])
        return sent

    with ThreadPoolExecutor(len(birds)) as pool:
        chatting = [pool.submit(chat, uid) for uid in birds]
        for _ in range(KILLS):
            worker = site.worker()
            worker.kill()
        enough.set()
        sent = [one.result() for one in chatting]
    chat_state.mark_read(db, birds[1], cids[0], 10)
    site.worker()
    site.until_drained()
    totals = [sum(one[cid] for one in sent) for cid in cids]
    assert min(totals[:2]) > 10
    for uid in birds:
        opened = [db.read(reading.open_page(uid, cid, size=1)) for cid in cids]
        assert unread(db, uid) == {one.chat.id: one.chat.last_id - one.last_read for one in opened}
        assert badge(db, uid) == sum(unread(db, uid).values())
        fetched = fetch_all(db, config, uid)
        assert fetched == {
            cid: list(range(1, total + 1)) for cid, total in zip(cids[:2], totals[:2], strict=True)
        }
    assert unread(db, birds[1])[cids[0]] <= totals[0] - 10
