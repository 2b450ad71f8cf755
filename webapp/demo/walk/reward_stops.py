"""Parts of the walk about points and what they are for."""

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
    yield Stop("/leaderboards?when=all", "who checked in most", members.friends[0].login)


def drops(context: WalkContext) -> Iterator[Stop]:
    """Offer a badge, of which three members take a piece, and something for later."""
    from webapp.rewards.drops import store
    from webapp.rewards.drops.store import Drop

    members, now = context.members, int(time.time() * 1000)
    about = "The first morning of spring, drawn by hand. Three are left for the early birds."
    hour = 3_600_000
    badge = Drop(0, "Dawn chorus badge", about, "badge", 3, 6, 6, now - hour, now + 72 * hour)
    times = now + 48 * hour, now + 96 * hour
    later = Drop(0, "Map of the marsh", "", "thing", 20, 40, 40, *times, days=1, share=25)
    first = store.save(context, badge)
    store.save(context, later)
    for member in (members.me, *members.friends[:2]):
        store.take(context, first, member.uid)
    yield Stop("/drops", "what can be had for points, now and later", "Map of the marsh")
    yield Stop(f"/drops/{first}", "a drop, with the pieces that are left", "Show my order")
    yield Stop("/orders", "your orders and items", "Dawn chorus badge")


def market(context: WalkContext) -> Iterator[Stop]:
    """Let members sell a badge, hold an auction and make an offer."""
    from webapp.rewards.items import store as items
    from webapp.rewards.market import store
    from webapp.rewards.market.store import Sale
    from webapp.rewards.points import ledger

    me, seller, other = (one.uid for one in (context.members.me, *context.members.friends[:2]))
    for uid in (seller, other):
        ledger.book(context, uid, 40, "gift", "gift:market", "to try the market")
    day = 86_400_000
    sales = (
        (seller, "badge", "Night heron badge", Sale(8)),
        (seller, "thing", "Sketch of a bittern", Sale(5, "auction", 0, 3 * day)),
        (other, "thing", "Feather of a jay", Sale(12)),
        (me, "thing", "Song of the reed warbler", Sale(15)),
    )
    ids = []
    for uid, kind, title, sale in sales:
        ids.append(items.give(context, uid, kind, title))
        store.offer(context, uid, ids[-1], 1, sale)
    badge, sketch, _feather, song = ids
    store.ask(context, me, badge, "purchase", 8)
    store.ask(context, other, sketch, "bid", 6)
    store.ask(context, other, song, "offer", 11)
    yield Stop(
        "/market", "what members sell, at a price or to the highest bidder", "Feather of a jay"
    )
    yield Stop(f"/market/{sketch}", "an auction with a bid", "Highest bid")
    yield Stop("/inventory", "your items, and how your trades went", "You bought")
    yield Stop(f"/market/{song}", "an offer for something of yours", "Accept")


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
    review = "Another moderator has to review your own post."  # the featured member is one
    yield Stop("/moderation/promotions", "promoted posts that wait for moderators", review)
