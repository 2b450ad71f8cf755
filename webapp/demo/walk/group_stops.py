"""The parts of the walk about groups."""

from collections.abc import Iterator, Sequence
from typing import Final

from webapp.chat.messages import sending
from webapp.chat.models import Content
from webapp.community.groups import chat, store, voting
from webapp.community.groups.invitations import store as invitations
from webapp.community.groups.models import HomeChoice, Voting
from webapp.community.groups.posts import pin_post
from webapp.core.media import storage as media
from webapp.demo.pictures.portraits import draw_view, png
from webapp.reports import store as reports
from webapp.reports.category import Category
from webapp.statuses.visibility.groups import GroupKind

from .context import Posted, Stop, WalkContext
from .walk_members import WalkMember

POSTS: Final = (
    "Which lens for hides at forty metres? Mine makes every godwit a smudge.",
    "Ringed plover, juvenile or winter adult? The bill says one thing, the legs another.",
    "Rain radar says dry until ten. The radar has lied before.",
    "The east hide has a new window. It opens, it closes, it doesn’t scream.",
    "Counted 214 lapwings, then a dog counted them again, louder.",
)
NEWS: Final = "The causeway is closed on Saturday: two posts of the fence go in."
BOTH: Final = "Sunday at eight, from the east hide to the sluice. Boots."
TALK: Final = "Whoever has the spare key of the east hide: it is cold out here."
RULES: Final = "Say where only if the birds can bear it.\nBe kind to beginners."


def groups_of_members(context: WalkContext) -> Iterator[Stop]:
    """Make a group of each kind, with posts, votes, and a request that waits.

    Their addresses hold a number, so that another community may have such groups too.
    """
    me, friends = context.members.me, context.members.friends
    about = "For people who would rather be out on the marsh."
    marsh = _make(
        context, me, f"marsh-{me.uid}", "Marsh watchers", about, GroupKind.OPEN, Voting.BOTH
    )
    store.edit(context, me.uid, marsh, "Marsh watchers", about, RULES, Voting.BOTH)
    _join(context, marsh, me, friends)
    posted = [
        context.post(friends[number % len(friends)], text, groups=[marsh])
        for number, text in enumerate(POSTS)
    ]
    _vote(context, marsh, posted, (me, *friends))
    pin_post(context, me.uid, marsh, posted[1].id, is_pinned=True)
    about = "Where the nests are. Stays here."
    nests = _make(
        context, me, f"nests-{me.uid}", "Nest wardens", about, GroupKind.CLOSED, Voting.UP
    )
    _join(context, nests, me, friends[:3])
    store.join(context, context.members.newcomer.uid, nests)
    secret = "Pair 12 sits again, same tussock. Please walk around by the north path."
    context.post(me, secret, groups=[nests])
    _make_news(context, friends[0], me)
    about, slug = "An hour or two, at a slow pace.", f"walks-{me.uid}"
    walks = _make(context, me, slug, "Sunday walks", about, GroupKind.OPEN, Voting.UP)
    context.post(me, BOTH, groups=[marsh, walks])
    _invite(context, friends[1], me)
    cid = _let_talk(context, nests, me, friends[0])
    context.apply()
    why, category = "Not about birds at all.", Category.OTHER
    reports.report_status(context, friends[0].uid, posted[2].id, why, category)
    yield from _stops(me, secret)
    yield Stop(f"/chats/{cid}", "the chat of a group", TALK)


def _stops(me: WalkMember, secret: str) -> Iterator[Stop]:
    """Yield the pages to look at. `secret`: a text of the closed group."""
    yield Stop("/groups", "your groups, those to find, and an invitation", "Wader ringers")
    yield Stop("/explore/find-groups?q=pace", "a group found by a word", "Sunday walks")
    yield Stop(f"/groups/marsh-{me.uid}", "a post that is pinned above the newest", "Pinned")
    path = f"/groups/marsh-{me.uid}/reports"
    yield Stop(path, "a report that owners see first", "Not about birds")
    yield Stop("/home", "how many posts are new in a group", "new in")
    yield Stop(f"/groups/walks-{me.uid}", "a post that is in two groups", BOTH)
    yield Stop(f"/groups/marsh-{me.uid}/top", "posts of a group by time and votes", POSTS[0])
    yield Stop(f"/groups/nests-{me.uid}", "a closed group, which only its members read", secret)
    yield Stop(
        f"/groups/nests-{me.uid}/requests", "a request to join that waits", "Requests to join"
    )


def _make_news(context: WalkContext, owner: WalkMember, reader: WalkMember) -> None:
    """Make a group of announcements, of which the home of `reader` says how many are new."""
    about, kind = "What changes on the reserve.", GroupKind.ANNOUNCEMENTS
    news = _make(context, owner, f"news-{reader.uid}", "Reserve news", about, kind, Voting.OFF)
    _join(context, news, owner, [reader])
    context.apply()
    store.set_home(context, reader.uid, news, HomeChoice.DIGEST)
    context.post(owner, NEWS, groups=[news])


def _invite(context: WalkContext, owner: WalkMember, invited: WalkMember) -> None:
    """Make a closed group that waits for another member."""
    about, slug = "Nets on Sundays, before dawn.", f"ringers-{invited.uid}"
    kind = GroupKind.CLOSED
    gid = _make(context, owner, slug, "Wader ringers", about, kind, Voting.OFF)
    invitations.invite(context, owner.uid, gid, [invited.login])


def _make(
    context: WalkContext,
    owner: WalkMember,
    slug: str,
    name: str,
    about: str,
    kind: GroupKind,
    votes: Voting,
) -> int:
    gid = store.create(context, owner.uid, slug, name, about, kind, votes)
    stored = media.save(context.config, f"groups/{gid}", "avatar", png(draw_view(name)))
    store.edit(context, owner.uid, gid, name, about, "", votes, stored)
    return gid


def _join(context: WalkContext, gid: int, owner: WalkMember, members: Sequence[WalkMember]) -> None:
    for member in members:
        if not store.join(context, member.uid, gid):
            store.answer(context, owner.uid, gid, member.uid, accept=True)


def _let_talk(context: WalkContext, gid: int, owner: WalkMember, speaker: WalkMember) -> str:
    """Give a group a chat with a message of one of its members, and return its id."""
    chat.start(context, owner.uid, gid)
    cid = chat.enter(context, speaker.uid, gid)
    sending.send(context, speaker.uid, cid, Content(TALK), f"talk-{gid}")
    return cid


def _vote(
    context: WalkContext, gid: int, posted: Sequence[Posted], voters: Sequence[WalkMember]
) -> None:
    context.apply()  # only posts that are in the group take votes
    for number, post in enumerate(posted):
        for voter in voters[: len(voters) - number]:
            if voter.uid != post.author.uid:
                direction = "down" if number == len(posted) - 1 else "up"
                voting.vote(context, voter.uid, gid, post.id, direction)
