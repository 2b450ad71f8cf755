"""Acts whose events have projections of their own: requests, chats, groups, rewards and more.

Each leaves one event of its type, or some, and all that comes before them is applied.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from tests.support import chat
from tests.support.moderators import as_moderator
from tests.support.rewards import PRICE, add_drop, give_points
from tests.support.statuses import polls
from tests.support.world import PASSWORD, World
from webapp.accounts.sessions import credentials, store as sessions
from webapp.archive.posts.old_posts import OldPost
from webapp.archive.posts.store import import_post
from webapp.autocomplete import rank_projections
from webapp.chat.bots import deliveries, keys as bot_keys, store as bots, webhooks
from webapp.chat.members import group_chats
from webapp.chat.messages import sending
from webapp.chat.models import Picture
from webapp.community.groups import store as groups
from webapp.community.groups.invitations import store as invitations
from webapp.community.groups.models import Voting
from webapp.community.jobs import store as jobs, work as job_work
from webapp.community.jobs.skills import Skill
from webapp.core.store import PARTITIONS, partition_of
from webapp.following import member_collections
from webapp.following.requests import store as requests
from webapp.lists import store as lists
from webapp.moderation import acting
from webapp.registry.comparisons import CHECK_AGAIN
from webapp.rewards.chains import keys as chain_keys
from webapp.rewards.drops import store as drops
from webapp.rewards.items import store as items
from webapp.rewards.market import goods, store as market
from webapp.rewards.market.trading import TRADES
from webapp.rewards.promotions import store as promotions
from webapp.statuses.drafts import publishing, store as drafts
from webapp.statuses.edits import pins
from webapp.statuses.filters import store as filters
from webapp.statuses.filters.filter_set import Filter
from webapp.statuses.interactions import keys as interaction_keys
from webapp.statuses.live_counts import changes, keys as count_keys
from webapp.statuses.polls import voting
from webapp.statuses.threads import hidden_replies
from webapp.statuses.values import places
from webapp.statuses.visibility.groups import GroupKind

ALL = range(PARTITIONS)
SKILL = Skill("Lua")


class Scene(NamedTuple):
    """Ann and Ben follow each other, list each other and like posts. Ann and Dan are blocked."""

    world: World
    ann: int
    ben: int
    cid: int
    dan: int
    posts: list[int]  # Ann's, and a poll, in which Ben has voted
    bens: int  # Ben's quote of Ann's first post
    numbers: list[int]  # Ann's lists


def request(s: Scene) -> None:
    """Let Cid ask to follow Ben, who is protected."""
    s.world.do(World.protect, s.ben)
    s.world.follow(s.cid, "ben")


def answer_request(s: Scene, accepted: bool) -> None:
    """Let Ben answer Cid's request."""
    s.world.do(lambda _site: request(s))
    requests.answer(s.world, s.ben, "cid", accepted)


def unrequest(s: Scene) -> None:
    """Let Cid take the request back."""
    s.world.do(lambda _site: request(s))
    s.world.unfollow(s.cid, "ben")


def unprotect(s: Scene) -> None:
    """Let Ben be protected no more, while Cid's request waits."""
    s.world.do(lambda _site: request(s))
    s.world.protect(s.ben, False)


def subscribe(s: Scene) -> None:
    """Let Ben subscribe to Ann's posts."""
    member_collections.subscribe(s.world, s.ben, "ann")


def announce(s: Scene) -> None:
    """Post to a subscriber."""
    s.world.do(lambda _site: subscribe(s))
    s.world.post(s.ann, "to whom it may concern")


def check_again(s: Scene, type: str, *fields: object) -> None:
    """Let the worker compare what Ben did with the other side."""
    s.world.db.run(CHECK_AGAIN(s.world.config, uid=s.ben, type=type, fields=fields))


def check_boost(s: Scene) -> None:
    """Let the worker compare Ben's boost with the boosters of Ann's post."""
    _, score, *_ = s.world.db.run(
        ("ZRANGE", interaction_keys.member_boosts(s.ben), 0, -1, "WITHSCORES")
    )
    fields = ("id", int(score), "status", s.posts[0], "author", s.ann)
    check_again(s, "boost_checked", *fields)


def moderate(s: Scene) -> int:
    """Warn Ann."""
    by = as_moderator(s.world, s.cid)
    return acting.act(s.world, by, s.ann, "warn", "Too loud.")


def appeal(s: Scene) -> None:
    """Let Ann appeal."""
    number = s.world.do(lambda _site: moderate(s))
    acting.appeal(s.world, s.ann, number, "No.")


def group_chat(s: Scene) -> str:
    """Return the id of a group chat of Ann and Ben, which others may find."""
    cid: str = s.world.do(chat.group, s.ann, [s.ben], kind="open")
    return cid


def send(s: Scene) -> tuple[str, int]:
    """Let Ann send a message to Ben and to her bot, who has a webhook. Return chat and message."""
    bot = s.world.do(bots.create_bot, s.ann, "jay", "Jay").uid
    webhooks.set_webhook(s.world, bot, "https://example.org/hook")
    cid = s.world.do(chat.group, s.ann, [s.ben, bot])
    return cid, chat.send_messages(s.world, s.ann, cid, "@jay @ben hello")[0]


def delete_message(s: Scene) -> None:
    """Delete the newest message of a chat."""
    cid, number = s.world.do(lambda _site: send(s))
    sending.delete(s.world, s.ann, cid, number)


def delete_picture(s: Scene) -> None:
    """Delete a message with a picture."""
    cid = group_chat(s)
    content = chat.draft("look", pictures=(Picture(f"chat/{cid}/{'a' * 32}", 3, 2, ""),))
    number = s.world.do(sending.send, s.ann, cid, content, chat.key())
    sending.delete(s.world, s.ann, cid, number)


def fail_webhook(s: Scene) -> None:
    """Give a delivery to a bot up."""
    bot = s.world.do(bots.create_bot, s.ann, "jay", "Jay").uid
    webhooks.set_webhook(s.world, bot, "https://example.org/hook")
    s.world.db.run(("ZADD", bot_keys.webhook_queue(bot), 1, "1-1"))
    delivery = deliveries.ClaimedDelivery(bot, "1-1", None, "", "", "0")
    payload = deliveries.Payload("1", 1, 1, 8, "answer 500")
    deliveries.finish(s.world.site, delivery, "given up", payload)


def group(s: Scene) -> int:
    """Let Ann make a group that Ben is in. Return its id."""
    gid: int = s.world.do(
        groups.create, s.ann, "birders", "Birders", "", GroupKind.OPEN, Voting.BOTH
    )
    s.world.do(groups.join, s.ben, gid)
    return gid


def join_invited(s: Scene) -> None:
    """Let Cid join a group on Ann's invitation."""
    gid = group(s)
    s.world.do(invitations.invite, s.ann, gid, ["cid"])
    groups.join(s.world, s.cid, gid)


def replace_picture(s: Scene) -> None:
    """Give a group another picture."""
    texts = ("Birders", "", "", Voting.BOTH)
    gid = group(s)
    for name in "ab":
        s.world.do(groups.edit, s.ann, gid, *texts, f"groups/{gid}/avatar-{name * 16}")
    groups.edit(s.world, s.ann, gid, *texts, "")


def import_old(s: Scene) -> None:
    """Import an old reply to one's own old post."""
    at = int(datetime(2019, 3, 4, tzinfo=UTC).timestamp() * 1000)
    first = s.world.do(import_post, s.ann, "token", OldPost("1", at, "#wren"), {})
    second = OldPost("2", at + 5_000, "a #wren again", reply_to="1")
    import_post(s.world, s.ann, "token", second, {"1": first})


def announce_job(s: Scene) -> None:
    """Offer a job that fits Ben."""
    s.world.do(jobs.save_skills, s.ben, jobs.Candidate((SKILL,), shown=True))
    jobs.save(s.world, s.ann, jobs.Offer("Ranger", "Count birds", "Reeds", False, (SKILL,)))
    job_work.announce_new(s.world.site)


def end_poll(s: Scene) -> None:
    """End Ann's poll."""
    polls.end(s.world.db, s.posts[3])
    voting.close_due(s.world.site, ALL)


def promote(s: Scene) -> None:
    """Promote a post."""
    s.world.do(lambda site: give_points(site, [s.ann], 100))
    terms = promotions.Terms(("tea",), "", "views", 5, 50, 3)
    promotions.start(s.world, s.ann, s.posts[0], terms)


def begin_chains(s: Scene) -> int:
    """Let Ben order a piece of a drop and buy an item of Ann's. Return the item."""
    s.world.do(lambda site: give_points(site, [s.ben], 2 * PRICE))
    item: int = s.world.do(items.give, s.ann, "thing", "Reed: map")
    found = s.world.db.read(goods.find_all([item]))[0]
    assert found
    s.world.do(market.offer, s.ann, item, found.version, market.Sale(PRICE))
    drops.take(s.world, add_drop(s.world, stock=2), s.ben)
    market.ask(s.world, s.ben, item, "purchase", PRICE)
    return item


def trade(s: Scene) -> None:
    """Let Ben's purchase be carried out."""
    partition = partition_of(begin_chains(s))
    ids = s.world.db.run(("HKEYS", chain_keys.chains(partition, "trade")))
    TRADES.drive(s.world.site, partition, ids)


def fail_draft(s: Scene) -> None:
    """Let a scheduled reply be due whose parent is gone."""
    s.world.do(World.delete, s.ann, s.posts[1])
    due = datetime.now(UTC) - timedelta(minutes=1)
    fields = {"text": "yes", "reply": str(s.posts[1])}
    drafts.save(s.world, s.ben, "form-key-1", fields, due)
    publishing.publish(s.world.site, s.ben, "form-key-1")


def sign_in_abroad(s: Scene) -> None:
    """Let Ann log in from a country, then from another."""
    for number, country in enumerate(("DE", "NZ")):
        s.world.run(
            sessions.START,
            uid=s.ann,
            sha=f"{number:064}",
            ttl=60,
            epoch=sessions.INITIAL_EPOCH,
            address="",
            agent="",
            network="",
            factor="",
            country=country,
        )


def hide_reply(s: Scene) -> None:
    """Let Ann hide Ben's reply."""
    reply = s.world.do(World.post, s.ben, "no", reply=s.posts[0])
    hidden_replies.hide(s.world, s.ann, reply)


def count(s: Scene) -> None:
    """Emit the counts that have changed."""
    s.world.do(World.like, s.cid, s.posts[0])
    due = count_keys.changed_counts(partition_of(s.posts[0]))
    s.world.db.run(("ZADD", due, "XX", 1, s.posts[0]))
    changes.emit_due(s.world.site, ALL)


def change_password(s: Scene) -> None:
    """Change Ann's password, and revoke her tokens and those of her bot."""
    s.world.do(bots.create_bot, s.ann, "jay", "Jay")
    credentials.change_password(s.world, s.ann, PASSWORD, "another horse", "", revoke_tokens=True)


FURTHER_ACTS: dict[str, Callable[[Scene], Any]] = {
    "requested": request,
    "accepted": lambda s: answer_request(s, True),
    "refused": lambda s: answer_request(s, False),
    "unrequested": unrequest,
    "unprotected": unprotect,
    "follower_removed": lambda s: requests.remove_follower(s.world, s.ann, "ben"),
    "subscribed": subscribe,
    "announced": announce,
    "like_checked": lambda s: check_again(s, "like_checked", "id", s.posts[0], "author", s.ann),
    "boost_checked": lambda s: check_boost(s),
    "follow_checked": lambda s: check_again(s, "follow_checked", "target", s.ann, "followed_at", 1),
    "bookmarked": lambda s: s.world.bookmark(s.cid, s.posts[0]),
    "counted": count,
    "pinned": lambda s: pins.pin(s.world, s.ann, s.posts[0]),
    "reply_hidden": hide_reply,
    "filter_saved": lambda s: filters.save(s.world, s.ann, Filter("yes", hide=True)),
    "locations_removed": lambda s: places.remove_locations(s.world, s.ann),
    "poll_ended": end_poll,
    "imported": import_old,
    "unposted": fail_draft,
    "tags_changed": lambda s: s.world.follow_tag(s.cid, "old"),
    "list_changed": lambda s: lists.update(s.world, s.ann, s.numbers[0], "birds", None, None),
    "joined": lambda s: s.world.people("eve"),
    "signed_in_abroad": sign_in_abroad,
    "tokens_revoked": change_password,
    "reindex_requested": lambda s: rank_projections.request_reindex(s.world.site, [s.ann]),
    "moderated": moderate,
    "appealed": appeal,
    "message_sent": send,
    "message_deleted": delete_message,
    "chat_pictures_removed": delete_picture,
    "chat_changed": lambda s: group_chats.change(s.world, s.ann, group_chat(s), name="Wrens"),
    "chat_deleted": lambda s: group_chats.delete(s.world, s.ann, group_chat(s)),
    "webhook_failed": fail_webhook,
    "group_created": lambda s: groups.create(
        s.world, s.ann, "birders", "Birders", "", GroupKind.OPEN, Voting.BOTH
    ),
    "group_invited": lambda s: invitations.invite(s.world, s.ann, group(s), ["cid"]),
    "group_members": join_invited,
    "group_edited": replace_picture,
    "group_closed": lambda s: groups.close(s.world, s.ann, group(s)),
    "job_posted": announce_job,
    "chain_begun": begin_chains,
    "traded": trade,
    "promotion_changed": promote,
}
