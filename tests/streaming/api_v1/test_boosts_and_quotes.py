"""Boosts and quotes in the messages of the streaming API."""

from typing import Any

from tests.support.streaming.api_client import Stage
from tests.support.streaming.client import PROCESSES, Scene
from tests.support.streaming.statuses import post_status
from webapp.accounts import lifecycle
from webapp.core.text.parser import parse
from webapp.following.blocks import store as blocks
from webapp.lists import store as lists
from webapp.statuses import Place, Visibility, store as statuses
from webapp.statuses.interactions import boosts
from webapp.statuses.quotes import store as quotes
from webapp.statuses.values import places

pytestmark = PROCESSES


def boost(scene: Scene, uid: int, status_id: int) -> None:
    scene.do(boosts.boost, uid, status_id)


def ids_of(delete: dict[str, Any]) -> tuple[int, int]:
    status = delete["delete"]["status"]
    return status["id"], status["user_id"]


def test_follow_sends_boosts_and_their_end(scene: Scene, stage: Stage) -> None:
    booster, other = scene.join("bunting"), scene.join("otter")
    author = scene.join("wheatear")
    by_booster = stage.open(form={"follow": str(booster)})
    by_author = stage.open(form={"follow": str(author)})
    status_id = post_status(scene, "hello #heath @otter", Place(1, 2, "Moor"), author=author)
    [original] = by_author.next_messages(1)
    boost(scene, booster, status_id)
    for client in (by_booster, by_author):
        [retweet] = client.next_messages(1)
        assert retweet["user"]["id"] == booster
        assert retweet["text"] == "RT @wheatear: hello #heath @otter"
        inner = retweet["retweeted_status"]
        unsent = {"event_id", "user", "retweet_count"}
        found = {name: inner[name] for name in inner.keys() - unsent}
        assert found == {name: original[name] for name in original.keys() - unsent}
        assert inner["user"]["id"] == author
        assert retweet["coordinates"] is retweet["in_reply_to_status_id"] is None
        for name in ("hashtags", "user_mentions"):
            for entity in retweet["entities"][name]:
                start, end = entity["indices"]
                word = entity.get("screen_name") or entity["text"]
                assert retweet["text"][start + 1 : end] == word
        mentions = [entity["id"] for entity in retweet["entities"]["user_mentions"]]
        assert mentions == [author, other]
    scene.do(boosts.unboost, booster, status_id)
    for client in (by_booster, by_author):
        [delete] = client.next_messages(1)
        assert ids_of(delete) == (retweet["id"], booster)


def test_boost_of_a_reply_is_no_reply(scene: Scene, stage: Stage) -> None:
    booster, author = scene.join("stint"), scene.join("ruff")
    original = post_status(scene, "look up")
    reply = scene.do(statuses.post, author, parse("look"), "a reply", reply=original)
    client = stage.open(form={"follow": str(booster), "filter_level": "medium"})
    boost(scene, booster, reply)
    [retweet] = client.next_messages(1)
    assert retweet["filter_level"] == "medium"
    assert retweet["retweeted_status"]["filter_level"] == "low"


def test_only_follow_sends_boosts(scene: Scene, stage: Stage) -> None:
    booster = scene.join("brambling")
    status_id = post_status(scene, "plover once", Place(40.5, 40.5))
    tracking = stage.open(form={"track": "plover", "locations": "40,40,41,41"})
    everything = stage.firehose()
    boost(scene, booster, status_id)
    last = post_status(scene, "plover twice")
    assert [message["id"] for message in tracking.next_messages(1)] == [last]
    assert [message["id"] for message in everything.next_messages(1)] == [last]


def test_edits_and_deletions_reach_those_who_were_sent_the_boost(
    scene: Scene, stage: Stage
) -> None:
    booster = scene.join("fieldfare")
    client = stage.open(form={"follow": str(booster)})
    status_id = post_status(scene, "boosted then deleted")
    boost(scene, booster, status_id)
    client.next_messages(1)  # of a deleted status no boost would be sent
    scene.delete(status_id)
    [delete] = client.next_messages(1)
    assert ids_of(delete) == (status_id, scene.ann)


def test_boosts_of_what_is_not_public_are_not_sent(scene: Scene, stage: Stage) -> None:
    site, booster, author = scene.site, scene.join("redwing"), scene.join("dotterel")
    unlisted = statuses.post(
        site, author, parse("quiet"), "a quiet one", visibility=Visibility.UNLISTED
    )
    public = post_status(scene, "loud", author=author)
    client = stage.open(form={"follow": str(booster)})
    boost(scene, booster, unlisted)
    boost(scene, booster, public)
    assert client.next_messages(1)[0]["retweeted_status"]["id"] == public
    before = {"Last-Event-ID": scene.log()[-3]}
    lifecycle.suspend(site, author)
    end = post_status(scene, "the end", author=booster)
    back = stage.open(form={"follow": str(booster)}, headers=before)
    kinds = [message for message in back.next_messages(2) if "user_suspend" not in message]
    assert [message["id"] for message in kinds] == [end]


def test_quotes_carry_the_quoted_status(scene: Scene, stage: Stage) -> None:
    site, author, quoter = scene.site, scene.join("siskin"), scene.join("linnet2")
    quoted = post_status(scene, "quoted words", Place(3, 4, "Fen"), author=author)
    client = stage.open(form={"track": "indeed"})
    reader = scene.join("blocker")
    blocks.block(site, reader, scene.login("siskin"))
    blocking = stage.open(token=stage.token(reader), form={"track": "indeed"})
    before = {"Last-Event-ID": scene.log()[-1]}
    quote = quote_status(scene, quoter, "indeed", quoted)
    [message] = client.next_messages(1)
    assert message["id"] == quote and message["is_quote_status"]
    assert message["quoted_status"]["text"] == "quoted words"
    assert message["quoted_status"]["user"]["screen_name"] == scene.login("siskin")
    assert message["quoted_status_permalink"]["expanded"] == message["quoted_status"]["url"]
    [hidden] = blocking.next_messages(1)
    assert hidden["quoted_status_id"] == quoted and "quoted_status" not in hidden

    boosted = stage.open(form={"follow": str(scene.ann)})
    boost(scene, scene.ann, quote)
    [retweet] = boosted.next_messages(1)
    assert retweet["quoted_status_id"] == quoted and "quoted_status" not in retweet
    assert retweet["retweeted_status"]["quoted_status"]["id"] == quoted

    scene.do(places.remove_locations, author)
    [without_place] = stage.open(form={"track": "indeed"}, headers=before).next_messages(1)
    assert without_place["quoted_status"]["place"] is None
    scene.do(statuses.delete, author, quoted)
    [alone] = stage.open(form={"track": "indeed"}, headers=before).next_messages(1)
    assert alone["id"] == quote and "quoted_status" not in alone


def test_detached_quotes_carry_nothing_after_a_return(scene: Scene, stage: Stage) -> None:
    author, quoter = scene.join("serin"), scene.join("twite")
    quoted = post_status(scene, "mine", author=author)
    before = {"Last-Event-ID": scene.log()[-1]}
    quote = quote_status(scene, quoter, "theirs serin", quoted)
    scene.do(quotes.detach, author, quote)
    client = stage.open(form={"track": "theirs"}, headers=before)
    [message] = client.next_messages(1)
    assert (message["id"], message["quoted_status_id"]) == (quote, quoted)
    assert "quoted_status" not in message


def test_listed_count_counts_public_lists_only(scene: Scene, stage: Stage) -> None:
    site, member, owner = scene.site, scene.join("knot"), scene.join("owner")
    client = stage.open(form={"follow": str(member)})

    def listed_count() -> int:
        scene.apply_events()
        post_status(scene, "counted", author=member)
        count: int = client.next_messages(1)[0]["user"]["listed_count"]
        return count

    public = lists.create(site, owner, "Waders")
    private = lists.create(site, owner, "Secret", private=True)
    for number in (public, private):
        lists.set_memberships(site, owner, scene.login("knot"), {number: True})
    assert listed_count() == 1
    lists.update(site, owner, private, "Secret", private=False, exclusive=False)
    assert listed_count() == 2
    lists.update(site, owner, public, "Waders", private=True, exclusive=False)
    assert listed_count() == 1
    lists.delete(site, owner, private)
    assert listed_count() == 0


def quote_status(scene: Scene, author: int, text: str, quoted: int) -> int:
    posted = scene.do(statuses.post, author, parse(text), text * 3, quote=quoted)
    return posted
