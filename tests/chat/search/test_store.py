"""Search finds what a member may read in their chats, and nothing else."""

import re
from collections.abc import Callable
from dataclasses import replace

import orjson
import pytest

from tests.support import worker
from tests.support.chat import draft, group, key, remaining_keys, send_messages
from tests.support.settings import with_settings
from tests.support.upgrades import run_upgrade
from webapp.accounts import registration
from webapp.chat import keys as chat_keys
from webapp.chat.documents import TERMS_MAX, TOKENS_MAX, message_document
from webapp.chat.ids import direct_id
from webapp.chat.inbox import chat_state
from webapp.chat.members import group_chats, membership
from webapp.chat.messages import sending
from webapp.chat.models import Content, Picture
from webapp.chat.search import keys as search_keys, store
from webapp.chat.search.query import chat_plan, parse_query
from webapp.chat.search.reindexing import reindex_chat
from webapp.chat.search.store import Position, parse_cursor, search
from webapp.core.errors import Invalid
from webapp.core.store import Db, Site
from webapp.core.text.folding import bigrams
from webapp.core.text.parser import parse
from webapp.following import store as following

Found = list[str]


@pytest.fixture
def uids(site: Site) -> list[int]:
    """Wren and Lark."""
    return [
        registration.sign_up(site, login, login.title(), "feathers-9").uid
        for login in ("wren", "lark")
    ]


@pytest.fixture
def cid(site: Site, uids: list[int]) -> str:
    """A group of both."""
    return group(site, uids[0], uids[1:])


@pytest.fixture
def find(db: Db, uids: list[int], cid: str) -> Callable[..., Found]:
    """Search as Wren: `find(query)` returns texts, newest first."""

    def find_texts(text: str, *cids: str, uid: int = uids[0]) -> Found:
        plan = db.read(chat_plan(parse_query(text).plan))
        page = db.read(search(uid, cids or [cid], plan, None, 20))
        assert page.next is None
        return [hit.message.text for hit in page.hits]

    return find_texts


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("kite", "red kites|a kite, red"),
        ("red kite", "red kites|a kite, red"),
        ('"red kite"', "red kites"),
        ("KITE -toy", "red kites|a kite, red"),
        ("toy OR kites", "red kites|a toy|a kite, red"),
        ("“a toy”", "a toy"),
        ("the", "on the marsh"),
        ('"on the"', "on the marsh"),
        ("the marsh", "on the marsh"),
        ("天空", "今天天空很蓝"),
        ("天天", "今天天空很蓝"),
        ("蓝天", ""),
        ("#marsh", "see #Marsh"),
        ("@lark", "@lark hm|mine"),
        ("mentions:lark", "@lark hm"),
        ("from:lark", "mine"),
        ("from:nobody", ""),
        ("-from:lark is:reply", "answer"),
        ("has:link", "https://www.example.org/a"),
        ("url:example.org", "https://www.example.org/a"),
        ("example.org/a", "https://www.example.org/a"),
        ("has:media", ""),
        ("until:2026-01-02", ""),
        ("until:0001-01-01", ""),
        ("since:9999-12-31", ""),
        ("since:2020-01-01 mine", "mine"),
        ("-a -red -on -今天 -see -@lark -mine -has:link", "answer"),
    ],
)
def test_queries_find_what_they_ask_for(
    site: Site, uids: list[int], cid: str, find: Callable[..., Found], query: str, expected: str
) -> None:
    texts = "a kite, red|a toy|red kites|on the marsh|今天天空很蓝|see #Marsh|@lark hm"
    send_messages(site, uids[0], cid, *texts.split("|"), "https://www.example.org/a")
    send_messages(site, uids[1], cid, "mine")
    sending.send(site, uids[0], cid, draft("answer", reply_to=1), key())
    assert sorted(find(query)) == sorted(text for text in expected.split("|") if text)


@pytest.mark.parametrize("query", ["dont", "don't", "don’t", "Don't know", '"don’t know"'])
def test_words_with_apostrophes_are_found_with_and_without(
    site: Site, uids: list[int], cid: str, find: Callable[..., Found], query: str
) -> None:
    send_messages(site, uids[0], cid, "I don’t know", "we know")
    assert find(query) == ["I don’t know"]


def test_operators_that_make_no_sense_in_chats_are_named_and_searched_as_words() -> None:
    problems = parse_query("min_likes:3 lang:en has:poll is:quote to:ann from:ann").problems
    assert [(one.reason, one.text) for one in problems] == [
        ("operator", "min_likes:3"),
        ("operator", "lang:en"),
        ("value", "has:poll"),
        ("value", "is:quote"),
        ("operator", "to:ann"),
    ]


def test_an_edit_is_found_by_its_new_words_alone(
    site: Site, uids: list[int], cid: str, find: Callable[..., Found]
) -> None:
    (message_id,) = send_messages(site, uids[0], cid, "heron")
    parsed = parse("bittern #reeds")
    sending.edit(site, uids[0], cid, message_id, parsed.text, parsed.entities)
    assert find("heron") == []
    assert find("bittern") == find("#reeds") == ["bittern #reeds"]


def test_what_leaves_a_chat_leaves_its_index(
    site: Site, uids: list[int], cid: str, find: Callable[..., Found]
) -> None:
    short = with_settings(site, chat_history=3)
    send_messages(short, uids[0], cid, *(f"heron {number}" for number in range(5)))
    assert find("heron") == ["heron 4", "heron 3", "heron 2"]
    sending.delete(site, uids[0], cid, 4)
    assert find("heron") == ["heron 4", "heron 2"]
    postings = site.db.run(("ZRANGE", search_keys.chat_postings(cid), 0, -1))
    assert sorted(postings) == ["2 a3", "4 a5", "heron a3", "heron a5"]
    group_chats.delete(site, uids[0], cid)
    assert remaining_keys(site.db, cid) == []
    assert find("heron") == []


def test_a_call_unindexes_some_messages_and_later_ones_go_on(
    site: Site, uids: list[int], cid: str, find: Callable[..., Found]
) -> None:
    records = search_keys.chat_search_records(cid)
    send_messages(site, uids[0], cid, *(f"heron {number}" for number in range(109)))
    short, left = replace(site.config, chat_history=10), []
    for number in range(109, 112):
        send_messages(Site(site.db, short), uids[0], cid, f"heron {number}")
        left.append(site.db.run(("HLEN", records)))
        assert find("heron") == [f"heron {place}" for place in range(number, number - 10, -1)]
    assert left == [60, 11, 10]
    assert not site.db.run(("ZRANGE", search_keys.chat_postings(cid), "[1 ", "(101 ", "BYLEX"))


def test_what_everybody_has_leaves_the_index_some_at_a_time_and_at_once_if_nothing_stays(
    site: Site, uids: list[int], cid: str, find: Callable[..., Found]
) -> None:
    keys = search_keys.chat_postings(cid), search_keys.chat_search_records(cid)
    group_chats.change(site, uids[0], cid, retention="fetched")
    send_messages(site, uids[0], cid, *(f"heron {number}" for number in range(1, 71)))
    for left in (20, 9):
        chat_state.mark_read(site.db, uids[1], cid, 61)
        assert site.db.run(("HLEN", keys[1])) == left
        assert find("heron") == [f"heron {number}" for number in range(70, 61, -1)]
        assert site.db.run(("HLEN", chat_keys.chat_messages(cid))) == 9
    send_messages(site, uids[0], cid, *["bittern"] * 60)
    chat_state.mark_read(site.db, uids[1], cid, 130)
    assert site.db.run(("EXISTS", *keys)) == 0
    send_messages(site, uids[0], cid, "heron")
    assert find("heron") == ["heron"]


def test_only_members_find_and_only_what_they_may_see(
    site: Site, uids: list[int], cid: str, find: Callable[..., Found]
) -> None:
    stranger = registration.sign_up(site, "owl", "Owl", "feathers-9").uid
    send_messages(site, uids[0], cid, "heron one")
    assert find("heron", uid=stranger) == find("-x", uid=stranger) == []
    membership.add(site, uids[0], cid, [stranger])
    send_messages(site, uids[0], cid, "heron two")
    assert find("heron", uid=stranger) == find("-x", uid=stranger) == ["heron two"]
    membership.leave(site, stranger, cid)
    assert find("heron", uid=stranger) == []


def test_a_picture_is_found_by_its_description(
    site: Site, uids: list[int], cid: str, find: Callable[..., Found]
) -> None:
    picture = Picture(f"chat/{cid}/abc", 3, 2, "A heron in reeds")
    sending.send(site, uids[0], cid, Content("look", pictures=(picture,)), key())
    assert find("reed") == find("has:media") == find("has:images") == ["look"]


def test_a_search_over_chats_merges_by_time_page_by_page(
    site: Site, uids: list[int], cid: str
) -> None:
    following.follow(site, uids[1], "wren")  # so that she need not ask first
    others = [group(site, uids[0]) for _ in range(2)] + [direct_id(*uids)]
    cids = [cid, *others, "999999", "3-4"]
    sent = []
    for number in range(21):
        target = cids[number % 4]
        sent.append(f"heron {number}")
        send_messages(site, uids[0], target, sent[-1])
    plan = site.db.read(chat_plan(parse_query("heron").plan))
    found, cursor = [], None
    while True:
        page = site.db.read(search(uids[0], cids, plan, cursor, 4))
        found += [hit.message.text for hit in page.hits]
        if page.next is None:
            break
        cursor = parse_cursor(str(page.next))
    assert len(found) == 21
    assert set(found) == set(sent)


def test_a_search_that_stops_early_leads_on(
    site: Site, uids: list[int], cid: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "WORK_MAX", 1)
    monkeypatch.setattr(store, "WORK_MIN", 1)
    send_messages(site, uids[0], cid, "heron", *["hm"] * 205)
    plan = site.db.read(chat_plan(parse_query("-hm").plan))
    cursor, found, pages = None, [], 0
    while pages == 0 or cursor:
        page = site.db.read(search(uids[0], [cid], plan, cursor, 20))
        found += [hit.message.text for hit in page.hits]
        cursor, pages = page.next, pages + 1
    assert found == ["heron"]
    assert pages == 21


def test_of_a_long_phrase_few_terms_are_counted(site: Site, uids: list[int], cid: str) -> None:
    phrase = "".join(chr(0x4E00 + place) for place in range(460))
    send_messages(site, uids[0], cid, "heron")
    plan = site.db.read(chat_plan(parse_query(f"{phrase}personalities").plan))
    variants = orjson.loads(plan.clauses)[0]["variants"]
    site.db.run(("CONFIG", "RESETSTAT"))
    site.db.read(search(uids[0], [cid], plan, None, 20))
    stats = str(site.db.run(("INFO", "commandstats")))
    counted = re.search(r"cmdstat_zlexcount:calls=(\d+)", stats)
    assert counted
    assert int(counted[1]) == 8 * len(variants)


def test_a_search_for_long_phrases_compares_fewer_messages(
    site: Site, uids: list[int], cid: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "WORK_MAX", 500)
    monkeypatch.setattr(store, "WORK_MIN", 500)
    phrase = "".join(chr(0x4E00 + place) for place in range(460))
    send_messages(site, uids[0], cid, *["hm"] * 60)
    reached = []
    for query in ("-heron", f"-{phrase}personalities"):
        page = site.db.read(
            search(uids[0], [cid], site.db.read(chat_plan(parse_query(query).plan)), None, 99)
        )
        reached.append(page.next.message_id if page.next else 0)
    assert reached[0] == 0
    assert reached[1] > 1


def test_a_phrase_is_compared_where_its_terms_are_not_indexed(
    site: Site, uids: list[int], cid: str, find: Callable[..., Found]
) -> None:
    late = "".join(chr(0x4E00 + place) for place in range(900))
    send_messages(site, uids[0], cid, late, "heron")
    assert find(f"-{late[-9:]}") == ["heron"]


def test_stop_words_of_other_languages_find_nothing(
    site: Site, uids: list[int], cid: str, find: Callable[..., Found]
) -> None:
    send_messages(site, uids[0], cid, "ha", "heron")
    assert find("haben") == []
    assert find("-haben") == ["heron", "ha"]


def test_messages_of_before_the_index_are_indexed(
    site: Site, uids: list[int], cid: str, find: Callable[..., Found]
) -> None:
    send_messages(site, uids[0], cid, "heron", "gone", "bittern")
    sending.delete(site, uids[0], cid, 2)
    keys = search_keys.chat_postings(cid), search_keys.chat_search_records(cid)
    before = site.db.run(("ZRANGE", keys[0], 0, -1)), site.db.run(("HGETALL", keys[1]))
    site.db.trip(*(("DEL", one) for one in keys))
    assert find("heron") == []
    for _ in range(2):
        assert reindex_chat(site.db, cid) == 2
        found = (site.db.run(("ZRANGE", keys[0], 0, -1)), site.db.run(("HGETALL", keys[1])))
        assert found == before
    site.db.trip(*(("DEL", one) for one in keys))
    worker.drain(site)  # members' lists of chats
    run_upgrade(site, "chats")
    assert site.db.run(("HGETALL", keys[1])) == before[1]
    assert reindex_chat(site.db, "9999") == 0


def test_a_message_that_changes_while_it_is_indexed_keeps_its_own_terms(
    site: Site,
    uids: list[int],
    cid: str,
    find: Callable[..., Found],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    send_messages(site, uids[0], cid, "heron")
    run, edited = site.db.run, []

    def run_and_edit(command: tuple[object, ...]) -> object:
        reply = run(command)
        if command[0] == "HMGET" and command[1] == chat_keys.chat_messages(cid) and not edited:
            edited.append(1)
            sending.edit(site, uids[0], cid, 1, "bittern")
        return reply

    monkeypatch.setattr(site.db, "run", run_and_edit)
    assert reindex_chat(site.db, cid) == 0
    assert edited
    assert find("heron") == []
    assert find("bittern") == ["bittern"]


def test_a_message_has_a_bounded_number_of_terms() -> None:
    text = "".join(chr(0x4E00 + place) for place in range(2_000))
    document = message_document(1, Content(text, reply_to=1))
    assert document.terms.split() == ["is=reply", *bigrams(text)[: TERMS_MAX - 1]]
    assert len(message_document(1, Content("a " * 3_000)).record.split()) <= TOKENS_MAX + 2


@pytest.mark.parametrize("text", ["", "1", "1.2", "1.2.3.4", "1.2.x", "0.2.3", "1.5-3.3", "1..3"])
def test_a_wrong_cursor_is_refused(text: str) -> None:
    with pytest.raises(Invalid):
        parse_cursor(text)


def test_a_cursor_is_read_as_it_was_written() -> None:
    position = Position(1_700_000_000_000, "3-17", 55)
    assert parse_cursor(str(position)) == position
