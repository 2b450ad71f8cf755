"""Which posts get a card, what becomes of it, and workers that die or work together."""

import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler

import pytest

from tests.statuses.link_cards.conftest import CardScene
from tests.support.concurrently import at_once
from tests.support.linked_site import content, page, png
from tests.support.processes import until
from tests.support.worker import drain, in_background
from tests.support.world import World
from webapp.chat.bots import store as bots
from webapp.config import Rate
from webapp.core.errors import NotFound, Unavailable
from webapp.core.events import keys as event_keys, leased_work
from webapp.core.events.outbox import Context, Event
from webapp.core.store import Site, partition_of
from webapp.core.text.parser import parse
from webapp.statuses import Poll, Visibility, keys as status_keys, store as statuses
from webapp.statuses.edits import editing
from webapp.statuses.link_cards import fetching, keys, linked_pages, queue, worker
from webapp.statuses.link_cards.projections import queue_cards
from webapp.statuses.values.card import LinkCard
from webapp.statuses.values.visibility import WIDEST_FIRST


def test_a_post_with_a_link_gets_the_card_of_its_page(scene: CardScene) -> None:
    scene.site.pages = {
        "/birds": page("Reed warblers", "They sing by night.", "/bird.png"),
        "/bird.png": content(png(), "image/png"),
    }
    status_id = scene.post(f"look: {scene.site.url('/birds#songs')} and {scene.site.url('/2')}")
    assert scene.waiting == [status_id] and scene.card(status_id) is None
    assert scene.make() == 1
    card = scene.card(status_id)
    assert card is not None
    assert card == LinkCard(
        scene.site.url("/birds"), "Reed warblers", "They sing by night.", card.picture
    )
    assert (scene.config.media_path / f"{card.picture}.webp").exists()
    assert scene.site.paths == ["/birds", "/bird.png"] and not scene.waiting
    headers = scene.site.receiver.requests[0].headers
    assert headers["user-agent"].startswith("Linnet-LinkCard/1") and "cookie" not in headers
    assert not scene.status(status_id).edited


def test_the_user_agent_names_the_site(scene: CardScene) -> None:
    config = replace(scene.config, site_url="https://linnet.net")
    assert fetching.user_agent(config) == "Linnet-LinkCard/1 (+https://linnet.net)"


@pytest.mark.parametrize("visibility", WIDEST_FIRST)
def test_links_of_posts_for_mentioned_people_only_are_never_fetched(
    scene: CardScene, visibility: Visibility
) -> None:
    scene.site.pages = {"/": page()}
    status_id = scene.post(f"see {scene.site.url()}", visibility=visibility)
    scene.make()
    is_direct = visibility is Visibility.MENTIONED
    assert bool(scene.site.paths) is not is_direct
    assert (scene.card(status_id) is None) is is_direct


def test_polls_and_quotes_take_the_place_of_a_card(scene: CardScene) -> None:
    quoted = scene.post("no link here")
    url = scene.site.url()
    scene.post(f"which? {url}", poll=Poll(("a", "b"), 60))
    scene.post(f"this: {url}", quote=quoted)
    assert not scene.waiting and scene.make() == 0


@pytest.mark.parametrize(
    "host", ["example.com", "www.example.org", "EXAMPLE.net"]
)  # for documentation
def test_reserved_hosts_are_not_asked(scene: CardScene, host: str) -> None:
    scene.post(f"see http://{host}/a")
    assert not scene.waiting


def test_nothing_is_fetched_where_the_site_has_no_cards(scene: CardScene) -> None:
    config = replace(scene.config, link_cards="off")
    statuses.post(Site(scene.db, config), scene.ann, parse(f"see {scene.site.url()}", 280), "form")
    drain(Site(scene.db, config))
    assert not scene.waiting
    # It ends, without being stopped.
    worker.LinkCardMaker(Site(scene.db, config)).run(threading.Event())
    assert not scene.site.paths


def test_posts_that_share_a_link_share_the_fetch(scene: CardScene) -> None:
    scene.site.pages = {"/": page()}
    first = scene.post(f"one {scene.site.url()}")
    second = scene.post(f"two {scene.site.url('')}")
    scene.make()
    third = scene.post(f"three {scene.site.url()}")
    scene.make()
    assert scene.site.paths == ["/"]
    assert scene.card(first) == scene.card(second) == scene.card(third) is not None


def test_a_deleted_post_has_nothing_fetched(scene: CardScene) -> None:
    status_id = scene.post(f"see {scene.site.url()}")
    statuses.delete(Site(scene.db, scene.config), scene.ann, status_id)
    scene.apply_events()
    assert scene.make() == 1
    assert not scene.site.paths and not scene.waiting
    assert not scene.db.run(("EXISTS", status_keys.status(status_id)))


def test_a_post_deleted_during_the_fetch_stays_deleted(scene: CardScene) -> None:
    status_id = scene.post(f"see {scene.site.url()}")

    def delete_then_answer(handler: BaseHTTPRequestHandler) -> None:
        statuses.delete(Site(scene.db, scene.config), scene.ann, status_id)
        page()(handler)

    scene.site.pages = {"/": delete_then_answer}
    scene.make()
    with pytest.raises(NotFound):
        scene.status(status_id)
    assert not scene.waiting and not scene.db.run(("EXISTS", status_keys.status(status_id)))


def test_an_edit_changes_or_removes_the_card(scene: CardScene) -> None:
    scene.site.pages = {"/1": page("One"), "/2": page("Two")}
    status_id = scene.post(f"see {scene.site.url('/1')}")
    scene.make()
    scene.edit(status_id, f"see this: {scene.site.url('/1')}")
    card = scene.card(status_id)
    assert card and card.title == "One" and not scene.waiting  # the link is the same
    scene.edit(status_id, f"see this: {scene.site.url('/2')}")
    assert scene.card(status_id) is None  # at the moment of the edit
    scene.make()
    card = scene.card(status_id)
    assert card and card.title == "Two"
    scene.edit(status_id, "nothing to see")
    assert scene.card(status_id) is None
    scene.make()
    assert scene.db.run(("HGET", status_keys.status(status_id), "card")) is None
    assert scene.site.paths == ["/1", "/2"]


@pytest.mark.parametrize("is_applied", [True, False])
def test_an_edit_during_the_fetch_wins(scene: CardScene, is_applied: bool) -> None:
    status_id = scene.post(f"see {scene.site.url('/1')}")

    def edit_then_answer(handler: BaseHTTPRequestHandler) -> None:
        text = parse(f"see {scene.site.url('/2')}", 280)
        editing.edit(Site(scene.db, scene.config), scene.ann, status_id, text, "", "")
        if is_applied:
            scene.apply_events()
        page("One")(handler)

    scene.site.pages = {"/1": edit_then_answer, "/2": page("Two")}
    worker.LinkCardMaker(Site(scene.db, scene.config)).run_due()
    stored = scene.db.run(("HGET", status_keys.status(status_id), "card"))
    assert "One" not in (stored or "")
    scene.apply_events()
    scene.make()
    assert scene.card(status_id) == LinkCard(scene.site.url("/2"), "Two")


def test_events_applied_twice_queue_and_fetch_once(scene: CardScene) -> None:
    scene.site.pages = {"/": page()}
    status_id = scene.post(f"see {scene.site.url()}")
    data = {"id": str(status_id), "author": str(scene.ann)}
    event = Event("1-1", partition_of(scene.ann), "tests", 9, "posted", "", data)
    context = Context(scene.db, scene.config, lambda: None)
    for _ in range(2):
        queue_cards(context, [event])
        assert scene.waiting == [status_id]
    scene.make()
    queue_cards(context, [event])
    assert not scene.waiting and scene.site.paths == ["/"]


def test_a_killed_workers_lease_expires_and_another_makes_the_card(
    scene: CardScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.site.pages = {"/": page()}
    status_id = scene.post(f"see {scene.site.url()}")
    with monkeypatch.context() as patch:
        patch.setattr(queue, "LEASE_MS", 1)
        patch.setattr(linked_pages, "LEASE_MS", 1)
        assert queue.claim(scene.db, partition_of(scene.ann), 5)
        assert linked_pages.begin_fetch(scene.db, scene.site.url()).lease_expires
    while not scene.card(status_id):  # until both leases have run out
        scene.make()
    assert scene.site.paths == ["/"]


def test_of_two_workers_one_fetches(scene: CardScene) -> None:
    scene.site.pages = {"/": page()}
    url = scene.site.url()
    first, second = scene.post(f"one {url}"), scene.post(f"two {url}")
    ours = linked_pages.begin_fetch(scene.db, url)  # as another worker
    assert ours.lease_expires
    scene.make()
    assert not scene.site.paths and sorted(scene.waiting) == [first, second]
    linked_pages.end_fetch(scene.db, url, ours.lease_expires, LinkCard(url, "Theirs"))
    scene.make_all_due()
    scene.make()
    assert not scene.site.paths
    assert [scene.card(one).title for one in (first, second)] == ["Theirs"] * 2  # type: ignore[union-attr]


def test_of_fifty_requests_one_leases_a_page(scene: CardScene) -> None:
    leased: list[str] = []
    start = threading.Barrier(50)

    def begin(_: int) -> None:
        start.wait()
        leased.append(linked_pages.begin_fetch(scene.db, scene.site.url()).lease_expires)

    at_once(50, begin, range(50))
    assert len(leased) == 50 and sum(map(bool, leased)) == 1


def test_a_lost_lease_changes_nothing(scene: CardScene) -> None:
    url = scene.site.url()
    status_id = scene.post(f"see {url}")
    [slow] = queue.claim(scene.db, partition_of(scene.ann), 5)
    scene.make_all_due()
    [current] = queue.claim(scene.db, partition_of(scene.ann), 5)
    if slow.lease_expires == current.lease_expires:
        slow = slow._replace(lease_expires=str(int(slow.lease_expires) - 1))
    queue.attach(Site(scene.db, scene.config), slow, "", LinkCard(url, "Slow"))
    queue.postpone(scene.db, slow, 9_999_999)
    assert scene.card(status_id) is None and scene.waiting == [status_id]
    queue.attach(Site(scene.db, scene.config), current, "", LinkCard(url, "Now"))
    assert scene.card(status_id) == LinkCard(url, "Now") and not scene.waiting
    page_lease = linked_pages.begin_fetch(scene.db, url).lease_expires
    linked_pages.end_fetch(scene.db, url, "1", LinkCard(url, "Slow"))
    assert linked_pages.delay_fetch(scene.db, url, "1") == -1
    linked_pages.end_fetch(scene.db, url, page_lease, None)
    assert linked_pages.begin_fetch(scene.db, url) == linked_pages.PageState()


def test_failures_are_tried_again_and_given_up(scene: CardScene) -> None:
    scene.site.pages = {"/": content(b"", status=503)}
    url = scene.site.url()
    status_id = scene.post(f"see {url}")
    for _ in range(len(linked_pages.RETRY_PAUSES)):
        scene.make()
        assert scene.waiting == [status_id] and scene.make() == 0
        scene.db.run(("HSET", keys.linked_page(url), "until", 0))
        scene.make_all_due()
    scene.make()
    assert len(scene.site.paths) == 4 and not scene.waiting
    again = scene.post(f"see again {url}")
    scene.make()
    assert len(scene.site.paths) == 4 and scene.card(again) is None
    assert scene.db.run(("PTTL", keys.linked_page(url))) > 0


def test_a_page_that_kills_its_workers_is_given_up(scene: CardScene) -> None:
    url = scene.site.url()
    status_id = scene.post(f"see {url}")
    for _ in range(len(linked_pages.RETRY_PAUSES) + 1):
        assert linked_pages.begin_fetch(scene.db, url).lease_expires
        scene.db.run(("HSET", keys.linked_page(url), "until", 0))  # the lease runs out
    assert linked_pages.begin_fetch(scene.db, url) == linked_pages.PageState()
    scene.make()
    assert not scene.waiting and not scene.site.paths and scene.card(status_id) is None


def test_an_unexpected_failure_is_tried_again_and_given_up(
    scene: CardScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        nonlocal calls
        calls += 1
        raise RuntimeError("a bug")

    calls = 0
    monkeypatch.setattr(worker, "fetch_card", fail)
    monkeypatch.setattr(leased_work, "POLL_SECONDS", 0.01)
    monkeypatch.setattr(queue, "LEASE_MS", 20)
    monkeypatch.setattr(linked_pages, "LEASE_MS", 10)
    scene.post(f"see {scene.site.url()}")
    stop = threading.Event()
    thread = threading.Thread(
        target=worker.LinkCardMaker(Site(scene.db, scene.config)).run, args=(stop,)
    )
    thread.start()
    try:
        until(lambda: not scene.waiting)
    finally:
        stop.set()
        thread.join()
    assert calls == len(linked_pages.RETRY_PAUSES) + 1


def test_a_host_is_not_asked_too_often(scene: CardScene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "HOST_RATE", Rate(2, 60))
    scene.site.pages = {f"/{number}": page(str(number)) for number in range(4)}
    ids = [scene.post(f"see {scene.site.url(f'/{number}')}") for number in range(4)]
    scene.make()
    assert scene.site.paths == ["/0", "/1"] and sorted(scene.waiting) == ids[2:]
    other = scene.post(f"see {scene.site.url('/3', host='marsh.net')}")
    scene.make()
    assert scene.card(other)
    scene.make_all_due()
    scene.make()
    assert len(scene.site.paths) == 3 and sorted(scene.waiting) == ids[2:]


def test_the_queue_is_bounded(scene: CardScene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "CARDS_WAITING_MAX", 2)
    for number in range(4):
        scene.post(f"see {scene.site.url(f'/{number}')}")
    assert len(scene.waiting) == 2
    assert scene.db.read(leased_work.waiting(keys.due_cards)) == 2


def test_a_full_outbox_leaves_the_card_for_later(scene: CardScene) -> None:
    scene.site.pages = {"/": page()}
    status_id = scene.post(f"see {scene.site.url()}")
    busy = replace(scene.config, outbox_max=1)
    scene.db.run(("XADD", event_keys.outbox(partition_of(scene.ann)), "*", "type", "none"))
    with pytest.raises(Unavailable):
        worker.LinkCardMaker(Site(scene.db, busy)).run_due()
    assert scene.waiting == [status_id]
    scene.db.run(("UNLINK", event_keys.outbox(partition_of(scene.ann))))
    scene.make_all_due()
    worker.LinkCardMaker(Site(scene.db, scene.config)).run_due()
    assert scene.card(status_id) and scene.site.paths == ["/"]


def test_the_loop_makes_cards_of_different_members_beside_each_other_until_it_is_stopped(
    scene: CardScene, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    release, lock = threading.Event(), threading.Lock()
    running = most = 0

    def slow(handler: BaseHTTPRequestHandler) -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        release.wait(60)
        with lock:
            running -= 1
        page()(handler)

    *slow_ones, dan = scene.ann, *world.people("ben", "cid", "dan")
    monkeypatch.setattr(fetching, "TIMEOUT_SECONDS", 60.0)
    monkeypatch.setattr(leased_work, "POLL_SECONDS", 0.01)
    bot = bots.create_bot(world, scene.ann, "robo", "Robo").uid
    links = [(uid, f"/{uid}-{number}") for uid in (*slow_ones, bot) for number in range(2)]
    scene.site.pages = {path: slow for _, path in links} | {"/quick": page()}
    ids = [replace(scene, ann=uid).post(f"see {scene.site.url(path)}") for uid, path in links]
    loop = worker.LinkCardMaker(Site(scene.db, scene.config))
    with in_background(loop.run, release):
        until(lambda: running == len(slow_ones))
        quick = replace(scene, ann=dan).post(f"see {scene.site.url('/quick')}")
        until(lambda: statuses.get(scene.db, quick, dan).card)
        release.set()
        until(lambda: all(scene.card(status_id) for status_id in ids))
    assert most == len(slow_ones)
