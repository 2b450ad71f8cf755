"""Parts of the walk about points and what they are for."""

from __future__ import annotations

import time
from collections.abc import Iterator

from .context import Stop, WalkContext

DAY_US = 86_400 * 1_000_000


def points(context: WalkContext) -> Iterator[Stop]:
    """Let the members check in for some days, and give the featured one points."""
    from webapp.rewards.points import check_ins, ledger

    members = context.members
    for place, member in enumerate((members.me, *members.friends)):
        for day in range(8 - place, -1, -1):
            context.db.advance(-day * DAY_US)
            check_ins.check_in(context, member.uid, "UTC")
            context.db.advance(day * DAY_US)
    ledger.book(context, members.me.uid, 25, "gift", "gift:demo", "for the map of the marsh")
    yield Stop("/check-in", "a streak of nine days in the calendar", "9 days")
    yield Stop("/points", "where each point came from", "for the map of the marsh")
    yield Stop(f"/@{members.me.login}", "the badge of a streak", "7-day streak")
    yield Stop("/boards?when=all", "who checked in most", members.friends[0].login)


def drops(context: WalkContext) -> Iterator[Stop]:
    """Offer a badge, of which three members take a piece, and something for later."""
    from webapp.rewards.drops import store
    from webapp.rewards.drops.store import Drop

    members, now = context.members, int(time.time() * 1000)
    about = "The first morning of spring, drawn by hand. Three are left for the early birds."
    hour = 3_600_000
    badge = Drop(0, "Dawn chorus badge", about, "badge", 3, 6, 6, now - hour, now + 72 * hour)
    later = Drop(0, "Map of the marsh", "", "thing", 20, 40, 40, now + 48 * hour, now + 96 * hour)
    first = store.add(context, badge)
    store.add(context, later)
    for member in (members.me, *members.friends[:2]):
        store.take(context, first, member.uid)
    yield Stop("/drops", "what can be had for points, now and later", "Map of the marsh")
    yield Stop(f"/drops/{first}", "a drop, with the pieces that are left", "Show my order")
    yield Stop("/orders", "your orders and things", "Dawn chorus badge")


def promotions(context: WalkContext) -> Iterator[Stop]:
    """Let a friend promote a post, which others see on a search, and the featured member one."""
    from webapp.rewards.points import ledger
    from webapp.rewards.promotions import store
    from webapp.rewards.promotions.store import Terms

    members = context.members
    terms = Terms(("marsh", "#birds"), "", "clicks", 5, 60, 14)
    promoted = {}
    for member, text in (
        (members.me, "A morning at the marsh, with a notebook and no hurry."),
        (members.friends[0], "My small guide to the birds of the marsh is out."),
    ):
        promoted[member.uid] = context.post(member, text).id
        ledger.book(context, member.uid, 60, "gift", "gift:promotion", "for a promotion")
        store.start(context, member.uid, promoted[member.uid], terms)
    friend = members.friends[0].uid
    store.move(context, friend, promoted[friend], "accept")
    own = promoted[members.me.uid]
    yield Stop("/promote", "the posts that you promote", "Waiting for review")
    yield Stop(f"/promote/{own}", "a promotion, what it costs and what it brought", "0 of 60")
