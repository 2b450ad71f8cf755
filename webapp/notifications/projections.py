"""Create and retract notifications from events.

Each projection is safe to run twice, and in any order: it checks first whether the action still
holds. All but `notify_subscribers` run in the group `log`, so that one member's actions reach
others in their order. The deletion of an account comes last.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from webapp.accounts import keys as account_keys, store as accounts
from webapp.accounts.store import Member
from webapp.chat.bots import keys as bot_keys
from webapp.core.events.outbox import Context, Event, in_steps, read_page
from webapp.core.store import Read, Steps, ask, collect, constant, read, send_all
from webapp.following import keys as following_keys
from webapp.moderation import keys as moderation_keys
from webapp.reports.store import BY_SITE
from webapp.statuses import BoostRef, Visibility, keys as status_keys
from webapp.statuses.boost_refs import ref_from_event, zset_member
from webapp.statuses.drafts import keys as draft_keys
from webapp.statuses.interactions import keys as interaction_keys

from .notices import BATCH, Notice, status_notice, sync_notices, sync_notices_in_steps

NO_SUBJECT = 0  # the subject of a notification that is not about a status


@in_steps
def notify_mentions(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Notify the members whom a status replies to, quotes or mentions, each once.

    A deleted status retracts that. A quote that not everybody may see notifies nobody. Three trips.
    """
    reply_notices = [
        status_notice(event, "reply", event.number("reply_to_uid"))
        for event in events
        if event.data.get("reply_to_uid")
    ]
    quote_notices = [
        status_notice(event, "quote", uid)._replace(
            own_status=int(event.data.get("quoted_id") or 0)
        )
        for event in events
        if (uid := _quoted_uid(event))
    ]
    mention_notices = [
        one
        for event, uids in (yield from _mentioned_uids(events))
        for one in _mention_notices(event, uids)
    ]
    notices = [*reply_notices, *quote_notices, *mention_notices]
    if notices:
        yield from sync_notices_in_steps(context, notices)


@in_steps
def notify_likes(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Notify authors of likes, and retract that for likes that were removed. Three trips."""
    authors = yield from ask(collect(map(_liked_author, events)))
    pairs = zip(events, authors, strict=True)
    # A deleted status has taken its notifications along.
    notices = [_like_notice(event, author) for event, author in pairs if author]
    yield from sync_notices_in_steps(context, notices)


@in_steps
def notify_boosts(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Notify authors of boosts, and retract that for boosts that were removed. Two trips."""
    refs = [(event, ref_from_event(event)) for event in events]
    notices = [_boost_notice(event, ref) for event, ref in refs if ref]
    yield from sync_notices_in_steps(context, notices)


@in_steps
def notify_follows(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Notify members of new followers, and retract that for follows that have ended. Two steps."""
    following = following_keys.following
    return sync_notices_in_steps(
        context, [_follow_notice(event, "follow", following) for event in events]
    )


@in_steps
def notify_follow_requests(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Notify members of requests to follow, and retract those that are answered or withdrawn.

    Two steps.
    """
    requests = [event for event in events if event.type != "followed" or "requested" in event.data]
    sent = following_keys.sent_follow_requests
    return sync_notices_in_steps(
        context, [_follow_notice(event, "request", sent) for event in requests]
    )


def notify_unposted(context: Context, events: Sequence[Event]) -> None:
    """Notify members of scheduled posts that failed or are held for review. Two trips.

    Who posts at once learns from the page that a post is held.
    """
    failed = [
        event for event in events if "scheduled" in event.data or not event.data.get("flagged")
    ]
    sync_notices(context, [_unposted_notice(event) for event in failed])


def notify_subscribers(context: Context, event: Event, cursor: str) -> str | None:
    """Notify some subscribers of a post, or retract that if it is deleted. At most four trips."""
    subscribers = following_keys.post_subscribers(event.number("author"))
    uids, next_cursor = read_page(context, subscribers, cursor, BATCH, oldest_first=True)
    sync_notices(context, [status_notice(event, "post", int(uid)) for uid in uids])
    return next_cursor


def notify_moderated(context: Context, events: Sequence[Event]) -> None:
    """Notify members of acts on them and of answers, and those who reported. Two trips."""
    notices = []
    for event in events:
        uid, number = event.number("uid"), event.data["number"]
        names = [f"{number}:answer"] if event.data.get("answered") else []
        told = moderation_keys.told_acts(uid)
        notices += [
            Notice(event, "moderated", uid, uid, name, told, name) for name in (number, *names)
        ]
        for answer in event.data.get("reports", "").split():
            reporter, _, subject = answer.partition("@")[0].partition(":")
            if int(reporter) != BY_SITE:
                notices += _answer_notices(event, int(reporter), subject)
    sync_notices(context, notices)


def notify_abroad(context: Context, events: Sequence[Event]) -> None:
    """Notify members of log-ins from a country that is new to them. Two trips."""
    sync_notices(context, [_abroad_notice(event) for event in events])


def notify_undelivered(context: Context, events: Sequence[Event]) -> None:
    """Notify owners of bots whose webhook does not take messages. Three trips."""
    bots = context.db.fetch(*(accounts.get(event.number("bot")) for event in events))
    pairs = zip(events, bots, strict=True)
    sync_notices(context, [_undelivered_notice(event, bot) for event, bot in pairs if bot])


def _mentioned_uids(events: Sequence[Event]) -> Steps[list[tuple[Event, dict[str, int]]]]:
    """Return the events that mention members, with their uids by the logins that they mention.

    One step, none without mentions.
    """
    with_mentions = [event for event in events if event.data.get("mentions")]
    logins = {login for event in with_mentions for login in event.data["mentions"].split()}
    replies = yield from send_all(("GET", account_keys.login(login)) for login in logins)
    claims = dict(zip(logins, replies, strict=True))
    return [
        (
            event,
            {
                login: int(claim.partition(":")[0])
                for login in event.data["mentions"].split()
                if (claim := claims[login])
            },
        )
        for event in with_mentions
    ]


def _mention_notices(event: Event, uids: Mapping[str, int]) -> Iterator[Notice]:
    # A reply or a quote notifies them already.
    already_notified = {int(event.data.get("reply_to_uid") or 0), _quoted_uid(event)}
    before = event.data.get("mentioned_before", "").split()
    return (
        status_notice(event, "mention", uid)._replace(again=login in before)
        for login, uid in uids.items()
        if uid not in already_notified
    )


def _quoted_uid(event: Event) -> int:
    """Return the member to notify of a quote, 0 for nobody."""
    quoted = int(event.data.get("quoted_uid") or 0)
    is_restricted = Visibility(event.data.get("visibility", "")).restricted
    return 0 if is_restricted or quoted == int(event.data.get("reply_to_uid") or 0) else quoted


def _liked_author(event: Event) -> Read[int | None]:
    """Read the author of a liked status, None if it is gone. An unlike does not name the author."""
    if "author" in event.data:
        return constant(event.number("author"))
    command = ("HGET", status_keys.status(event.number("id")), "author")
    return read(command, lambda author: int(author) if author else None)


def _like_notice(event: Event, author: int) -> Notice:
    actor, status_id = event.number("uid"), event.number("id")
    likes = interaction_keys.member_likes(actor)
    return Notice(event, "like", actor, author, status_id, likes, status_id, own_status=status_id)


def _boost_notice(event: Event, ref: BoostRef) -> Notice:
    return Notice(
        event=event,
        kind="boost",
        actor=ref.booster_uid,
        recipient=ref.author_uid,
        subject=ref.status_id,
        source_key=interaction_keys.member_boosts(ref.booster_uid),
        source_member=zset_member(ref.status_id, ref.author_uid),
        own_status=ref.status_id,
    )


def _follow_notice(event: Event, kind: str, source: Callable[[int], str]) -> Notice:
    """Return the notice about a follow or a request, which holds while the target is on a list."""
    actor, target = event.number("uid"), event.number("target")
    return Notice(event, kind, actor, target, NO_SUBJECT, source(actor), target)


def _unposted_notice(event: Event) -> Notice:
    """Return the notice about a draft, which holds while the draft exists."""
    uid, form_key = event.number("uid"), event.data["draft"]
    subject = f"{form_key}:{event.data['saved']}"  # another one each time that it fails
    return Notice(event, "unposted", uid, uid, subject, draft_keys.drafts(uid), form_key)


def _answer_notices(event: Event, reporter: int, subject: str) -> Iterator[Notice]:
    """Yield the notices about a report that was answered: the reporter's list says how."""
    answered = moderation_keys.answered_reports(reporter)
    for name in (f"{subject}:done", f"{subject}:kept"):
        yield Notice(event, "report_answered", reporter, reporter, name, answered, name)


def _abroad_notice(event: Event) -> Notice:
    """Return the notice about a log-in, which holds while its session does."""
    uid, session = event.number("uid"), event.data["session"]
    subject, sessions = f"{event.data['country']}:{event.id}", account_keys.member_sessions(uid)
    return Notice(event, "abroad", uid, uid, subject, sessions, session)


def _undelivered_notice(event: Event, bot: Member) -> Notice:
    """Return the notice about a bot's webhook, which holds while its owner has the bot."""
    owner, subject = bot.bot_owner, f"{bot.uid}:{event.data['failed']}"
    return Notice(event, "undelivered", owner, owner, subject, bot_keys.bots(owner), bot.uid)
