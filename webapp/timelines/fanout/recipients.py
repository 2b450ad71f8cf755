"""The members to whose homes a status is delivered."""

from dataclasses import dataclass

from webapp.accounts import keys as account_keys
from webapp.core.events.outbox import Event
from webapp.core.store import Read, Steps, gather, listed_in, read
from webapp.following import keys as following_keys

from .batches import DeliveryBatch
from .events import id_and_poster, is_for_mentioned_only, mentioned_uids, still_holds
from .listed_on import ListedOnPage, listed_on_page


@dataclass(frozen=True, slots=True)
class Probe:
    """The data that decides where to deliver an event.

    `holds`: the event may still be delivered. `followers`: a first batch of the author's followers,
    or the followers whom a restricted status mentions.
    """

    holds: bool
    is_pull_author: bool
    followers: list[str]
    lists: ListedOnPage


def probe_recipients(event: Event, limit: int) -> Read[Probe]:
    """Read where to deliver an event. `limit`: followers, and lists with the author."""
    author = id_and_poster(event)[1]
    is_pull_author = read(("HGET", account_keys.user(author), "pull_author"), bool)
    followers = read(("ZRANGE", following_keys.followers(author), 0, limit - 1), list)
    if is_for_mentioned_only(event):
        followers = listed_in(following_keys.followers(author), mentioned_uids(event))
    lists = listed_on_page(author, "-inf", limit)
    return gather(still_holds(event), is_pull_author, followers, lists).map(
        lambda found: Probe(*found)
    )


def add_followers(event: Event, probe: Probe, batch: DeliveryBatch) -> Steps[None]:
    """Add the followers who get an event to a batch, which sends itself when it is full.

    If there may be more than one batch, all are read again in the order in which they followed.
    Each read resumes after the last follower, in the trip that sends the batch before. So nobody is
    skipped when followers come or go.
    """
    if is_for_mentioned_only(event):
        yield from batch.add(event, probe.followers)
    elif probe.is_pull_author:
        return
    elif len(probe.followers) < batch.max_homes:
        yield from batch.add(event, probe.followers)
    else:
        author, after = id_and_poster(event)[1], "-inf"
        while after:
            next_followers = _next_followers(author, after, batch.max_homes)
            after, uids = yield from batch.flush_and_read(next_followers)
            yield from batch.add(event, uids)


def _next_followers(author: int, after: str, size: int) -> Read[tuple[str, list[str]]]:
    """Read the next followers, and the bound after which to continue; '' if they are the last.

    The bound is read first: if a follower leaves in between, the next batch begins too early, never
    too late. Reading the scores of all followers would double the time.
    """
    range_args = ("ZRANGE", following_keys.followers(author), after, "+inf", "BYSCORE", "LIMIT")
    return gather(
        read((*range_args, size - 1, 1, "WITHSCORES"), lambda last: f"({last[1]}" if last else ""),
        read((*range_args, 0, size), list[str]),
    )
