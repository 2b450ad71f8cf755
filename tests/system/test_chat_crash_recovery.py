"""Check inboxes, badges and fetching after chat workers were killed."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from tests.conftest import PASSWORD
from tests.support.chat import all_messages, badge, fetch_all, group, send_messages, unread
from tests.support.processes import RunningSite
from webapp.accounts import registration
from webapp.chat import reading
from webapp.chat.inbox import chat_state
from webapp.chat.members import membership
from webapp.core.store import Db
from webapp.following import store as following

pytestmark = [pytest.mark.kill, pytest.mark.xdist_group("killing")]
LOGINS = ("wren", "lark", "finch", "swift")
KILLS = 4


@pytest.fixture
def site(tmp_path: Path) -> Iterator[RunningSite]:
    """A store on disk, and the site's processes."""
    site = RunningSite(tmp_path, lease_seconds=2, outbox_max=1_000_000)
    yield site
    site.close()


@pytest.mark.long
def test_workers_killed_during_chats_lose_and_repeat_nothing(site: RunningSite) -> None:
    uids = [registration.sign_up(site, login, login, PASSWORD).uid for login in LOGINS]
    owner, *others = uids
    for uid in others:
        following.follow(site, uid, LOGINS[0])  # so that nobody is asked before joining
    cids = [group(site, owner, others) for _ in range(3)]
    *busy_chats, rejoined_chat = cids
    stop = Event()

    def chat(uid: int) -> dict[str, int]:
        """Send until the end, leave and rejoin a chat. Return how many were sent to each chat."""
        sent = dict.fromkeys(busy_chats, 0)
        while not stop.is_set():
            for cid in busy_chats:
                send_messages(site, uid, cid, f"{sent[cid]}")
                sent[cid] += 1
            if uid != owner:
                membership.leave(site, uid, rejoined_chat)
                membership.add(site, owner, rejoined_chat, [uid])
        return sent

    with ThreadPoolExecutor(len(uids)) as pool:
        chatting = [pool.submit(chat, uid) for uid in uids]
        for _ in range(KILLS):
            worker = site.worker()
            worker.kill()
        stop.set()
        sent_by_member = [future.result() for future in chatting]
    reader = others[0]
    chat_state.mark_read(site.db, reader, busy_chats[0], 10)
    site.worker()
    site.until_drained()
    for uid in others:
        chat_state.mark_read(site.db, uid, rejoined_chat, 0)  # who is brought in has one to look at
    totals = {cid: sum(sent[cid] for sent in sent_by_member) for cid in busy_chats}
    assert min(totals.values()) > 10
    for uid in uids:
        assert unread(site.db, uid) == {cid: unread_messages(site.db, uid, cid) for cid in cids}
        assert badge(site.db, uid) == sum(unread(site.db, uid).values())
        fetched = fetch_all(site, uid)
        assert fetched == {cid: list(range(1, total + 1)) for cid, total in totals.items()}
    assert unread(site.db, reader)[busy_chats[0]] <= totals[busy_chats[0]] - 10


def unread_messages(db: Db, uid: int, cid: str) -> int:
    """Count the messages of others after the position up to which a member has read."""
    last_read = db.read(reading.open_page(uid, cid, size=1)).last_read
    messages = all_messages(db, uid, cid, size=500)
    return sum(message.id > last_read and message.author_uid != uid for message in messages)
