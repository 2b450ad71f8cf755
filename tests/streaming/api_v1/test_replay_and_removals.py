"""Samples, replays by count, and what deletions, suspensions and blocks remove."""

from itertools import takewhile
from typing import Any

import pytest

from tests.support.streaming.api_client import Stage, numbers
from tests.support.streaming.client import PROCESSES, Scene
from tests.support.streaming.statuses import post_status
from webapp.accounts import lifecycle
from webapp.core.text.parser import parse
from webapp.following import keys as following_keys
from webapp.following.blocks import store as blocks
from webapp.statuses import Place, store as statuses
from webapp.statuses.values import places
from webapp.streaming.delivery.hidden_authors import BLOCKERS_MAX

pytestmark = PROCESSES
KINDS = ("sample", "filter", "firehose")


def before_suspension(message: dict[str, Any]) -> bool:
    return "user_suspend" not in message


def test_sample_is_a_fixed_share_by_id_for_each_client(scene: Scene, stage: Stage) -> None:
    site, uid = scene.site, scene.join("sampler")
    clients = {
        "token": stage.open("sample", stage.token(uid)),
        "same member": stage.open("sample", stage.token(uid)),
        "another": stage.open("sample"),
        "fewer": stage.open("sample", query={"percent": "2.5"}),
        "more": stage.open("sample", query={"percent": "100"}),
        "visitor": stage.open("sample", "", query={"identifier": "one"}),
        "same visitor": stage.open("sample", "", form={"identifier": "one", "percent": "100"}),
    }

    def read_until_suspension(fence: str) -> dict[str, list[dict[str, Any]]]:
        """Suspend a new member; return what each client gets before that message."""
        scene.apply_events()
        scene.do(lifecycle.suspend, scene.join(fence))
        return {
            name: list(takewhile(before_suspension, iter(client.next, None)))
            for name, client in clients.items()
        }

    posted = scene.post(count=600)
    first = read_until_suspension("fence")
    seen = {name: numbers(messages) for name, messages in first.items()}
    for status_id in posted:
        statuses.delete(site, scene.ann, status_id)
    deleted = read_until_suspension("fence2")
    assert {name: numbers(messages) for name, messages in deleted.items()} == seen
    assert seen["token"] == seen["same member"] != seen["another"]
    assert seen["visitor"] == seen["same visitor"]
    for name in ("token", "another", "more"):  # 60 expected, with a standard deviation of 7
        assert 25 < len(seen[name]) < 110
    assert 2 < len(seen["fewer"]) < 40 and len(seen["visitor"]) < 25  # 15 and 6 expected


def test_count_replays_and_then_continues_or_ends(scene: Scene, stage: Stage) -> None:
    token, watch = stage.token(0, "firehose"), stage.firehose()
    posted = scene.post(count=6)
    scene.do(statuses.delete, scene.ann, posted[4])
    assert list(takewhile(lambda message: "delete" not in message, iter(watch.next, None)))
    expected = [posted[3], posted[5], posted[4]]  # the last is a deletion
    for headers in ({}, {"Accept-Encoding": "gzip"}):
        ended = stage.open("firehose", token, query={"count": "-3"}, headers=headers)
        assert numbers(ended.rest()) == expected
    going_on = stage.open("firehose", token, form={"count": "3"})
    assert numbers(going_on.next_messages(3)) == expected
    after = scene.post()
    assert numbers(going_on.next_messages(1)) == after
    word = post_status(scene, "crossbill once")
    assert numbers(going_on.next_messages(1)) == [word]
    filtered = stage.open("filter", token, form={"count": "-150000", "track": "crossbill"})
    assert [message["id"] for message in filtered.rest() if "text" in message] == [word]


def test_deletions_reach_filters_that_got_the_status(scene: Scene, stage: Stage) -> None:
    ben = scene.join("benny")
    tracking = stage.open(form={"track": "dipper"})
    german = stage.open(form={"follow": str(ben), "language": "de"})
    placed = stage.open(form={"locations": "20,20,21,21"})
    other = stage.open(form={"track": "other"})
    seen, unseen = post_status(scene, "dipper", Place(20.5, 20.5)), post_status(scene, "nothing")
    assert [numbers(client.next_messages(1)) for client in (tracking, placed)] == [[seen]] * 2
    for status in (unseen, seen):
        scene.delete(status)
    last = post_status(scene, "other dipper", Place(20.5, 20.5))
    for client in (tracking, placed):
        delete, end = client.next_messages(2)
        assert numbers([end]) == [last]
        author = {"user_id": scene.ann, "user_id_str": str(scene.ann)}
        assert delete["delete"]["status"] == {"id": seen, "id_str": str(seen), **author}
    assert numbers(other.next_messages(1)) == [last]
    assert german.status == 200


def test_removed_locations_are_never_sent_again(scene: Scene, stage: Stage) -> None:
    eve = scene.join("eve")
    token = stage.token(0, "firehose")
    before = stage.open(form={"locations": "30,30,31,31"})
    first = post_status(scene, "secret hedge", Place(30.5, 30.5, "Home"), author=eve)
    [status] = before.next_messages(1)
    scene.do(places.remove_locations, eve)
    [scrub] = before.next_messages(1)
    assert scrub["scrub_geo"] == {
        "user_id": eve,
        "user_id_str": str(eve),
        "up_to_status_id": first,
        "up_to_status_id_str": str(first),
    }
    back = {"Last-Event-ID": f"{int(status['event_id'].split('-')[0]) - 1}-0"}
    update, *_ = stage.open("firehose", token, headers=back).next_messages(1)
    assert update["id"] == first
    assert update["coordinates"] is update["geo"] is update["place"] is None
    counted = stage.open("filter", token, form={"count": "-5", "locations": "30,30,31,31"})
    # Every stream gets suspensions and deletions of accounts, also those of other tests.
    kinds = [set(message) - {"event_id"} for message in counted.rest()]
    assert [kind for kind in kinds if not kind & {"user_suspend", "user_delete"}] == [{"scrub_geo"}]
    scene.do(statuses.delete, eve, first)
    assert numbers(before.next_messages(1)) == [first]


@pytest.mark.parametrize("kind", KINDS)
def test_statuses_of_suspended_or_deleted_authors_are_not_sent(
    scene: Scene, stage: Stage, kind: str
) -> None:
    site, word = scene.site, f"secret{kind}"
    eve, mallory = scene.join(f"eve{kind}"), scene.join(f"mal{kind}")
    token = stage.token(0, "firehose")
    query = {"track": word} if kind == "filter" else {"percent": "10"}
    client = stage.open(kind, token, form=query)
    post_status(scene, "before")
    first = scene.log()[-1]
    for author in (eve, mallory):
        for number in range(30):
            post_status(scene, f"{word} {number}", author=author)
    lifecycle.suspend(site, eve)
    scene.do(lifecycle.delete_account, mallory, None)
    kinds: set[str] = set()
    while not kinds >= {"user_delete", "user_suspend"}:
        [message] = client.next_messages(1)
        kinds |= message.keys()
    client.close()
    last = post_status(scene, f"{word} the end")
    watch = stage.firehose(headers={"Last-Event-ID": first})
    earlier = takewhile(lambda message: message.get("id") != last, iter(watch.next, None))
    assert [message for message in earlier if "text" in message] == []
    for options in ({"headers": {"Last-Event-ID": first}}, {"form": {**query, "count": "-150000"}}):
        again = stage.open(kind, token, **{"form": query, **options})
        ends = "count" in options.get("form", {})
        messages = again.rest() if ends else again.next_messages(2 if kind == "sample" else 3)
        authors = {message.get("user", {}).get("id") for message in messages}
        assert not authors & {eve, mallory}
        assert kind == "sample" or last in [message.get("id") for message in messages]
        again.close()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("blocked_by", "has_many"), [("author", False), ("reader", False), ("author", True)]
)
def test_block_either_way_hides_statuses(
    scene: Scene, stage: Stage, kind: str, blocked_by: str, has_many: bool
) -> None:
    site, word = scene.site, f"fence{kind}{blocked_by}{has_many}"
    suffix = f"{kind[:3]}{blocked_by}{int(has_many)}"
    logins = {"author": f"a{suffix}", "reader": f"r{suffix}"}
    uids = {role: scene.join(login) for role, login in logins.items()}
    if has_many:  # newer blockers than the author, more than a stream loads
        newer = range(10**9, 10**9 + BLOCKERS_MAX + 1)
        flat = [value for number in newer for value in (10**13 + number, number)]
        site.db.run(("ZADD", following_keys.blockers(uids["reader"]), *flat))
    token = stage.token(uids["reader"], "firehose")
    query = {"track": word} if kind == "filter" else {"percent": "10"}
    other = logins["reader" if blocked_by == "author" else "author"]

    client = stage.open(kind, token, form=query)
    blocks.block(site, uids[blocked_by], other)
    scene.apply_events()  # partitions are applied in parallel, so a post might overtake the block
    for number in range(60):
        for author in (uids["author"], scene.ann):
            text = f"{word} {number}"
            statuses.post(site, author, parse(text), text)
    scene.apply_events()  # the suspension below is in another partition and must come last
    fence = scene.join(f"f{suffix}")  # every stream gets a suspension
    scene.do(lifecycle.suspend, fence)
    messages = takewhile(
        lambda message: message.get("user_suspend", {}).get("id") != fence, iter(client.next, None)
    )
    authors = {message["user"]["id"] for message in messages if "user" in message}
    assert uids["author"] not in authors and (kind == "sample" or scene.ann in authors)
    client.close()
    back = stage.open(kind, token, form={**query, "count": "-120"})
    authors = {message["user"]["id"] for message in back.rest() if "user" in message}
    assert uids["author"] not in authors
