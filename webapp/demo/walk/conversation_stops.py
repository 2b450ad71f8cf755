"""Replies, boosts, likes and bookmarks, polls and quotes."""

from collections.abc import Iterator

from webapp.statuses import Poll
from webapp.statuses.folders import store as folders
from webapp.statuses.interactions import boosts, likes
from webapp.statuses.polls import voting
from webapp.statuses.quotes import store as quotes
from webapp.statuses.reading_history import store as reading_history
from webapp.statuses.threads import hidden_replies
from webapp.statuses.values.reply_policy import ReplyPolicy
from webapp.statuses.view_counts.store import ViewBatch

from .context import Posted, Stop, WalkContext
from .walk_members import WalkMember

WHERE_TO_START = ("East hide", "The ferry", "Mill bridge", "The bakery")


def replies(context: WalkContext) -> Iterator[Stop]:
    """Talk in a thread. Begin another in which not everybody may reply."""
    me, friends, chinese = context.members.me, context.members.friends, context.members.chinese
    top = context.post(me, "Early risers: what do you carry on a dawn walk besides binoculars?")
    flask = context.post(friends[0], "A flask. The birds can wait, tea cannot.", reply=top.id)
    optics = context.post(me, "Tea counts as optics if you hold it to the light.", reply=flask.id)
    context.post(friends[0], "I will put that on the flask.", reply=optics.id)
    context.post(friends[1], "A spare hat. Do not ask where the first one went.", reply=top.id)
    buns = context.post(chinese, "两个热包子，走到观鸟屋正好吃完。", reply=top.id)
    context.post(me, "包子也算装备！", reply=buns.id)
    shout = context.post(context.members.loud, "HOT TAKE: binoculars are cheating.", reply=top.id)
    hidden_replies.hide(context, me.uid, shout.id)
    closed = context.post(
        friends[2],
        "Naming the new ferry. Only people I follow can reply, or we will be here till Tuesday.",
        reply_policy=ReplyPolicy.FOLLOWED,
    )
    context.post(me, "Put me down for Late Again.", reply=closed.id)
    yield Stop(top.path, "a thread", "I will put that on the flask.")
    yield Stop(top.path, "a reply to you that you hid, at the end of it", "Show hidden replies")
    yield Stop(closed.path, "a thread in which not everybody may reply", "Late Again")


def boosts_of_posts(context: WalkContext) -> Iterator[Stop]:
    """Boost a post as the featured member, and one of theirs as friends."""
    me, friends = context.members.me, context.members.friends
    text = "Found on the east path: one grey glove, thumb darned in green. Somebody’s favourite."
    glove = context.post(context.members.newcomer, text)
    for member in (me, friends[0], friends[2]):
        boosts.boost(context, member.uid, glove.id)
    ferry = context.post(
        me, "The ferry timetable says 6:10. The ferry says 6:25. Believe the ferry."
    )
    for member in (friends[1], friends[3], context.members.chinese):
        boosts.boost(context, member.uid, ferry.id)
    yield Stop(f"{ferry.path}/boosts", "who boosted a post of yours", friends[1].name)
    yield Stop(f"{glove.path}/boosts", "who boosted another, you among them", me.name)
    yield Stop(f"/@{me.login}", "your boost on your profile", text)


def likes_and_bookmarks(context: WalkContext) -> Iterator[Stop]:
    """Let friends like a post. Like another, and sort it into a folder of bookmarks."""
    me, friends = context.members.me, context.members.friends
    liked = context.post(me, "Asked a marsh tit whether it was a willow tit. It would not say.")
    for member in (*friends, context.members.chinese, context.members.newcomer):
        likes.like(context, member.uid, liked.id)
    soup = "Soup for after a wet walk: leeks, potatoes, the end of the cheese, too much pepper."
    recipe = context.post(friends[2], soup)
    likes.like(context, me.uid, recipe.id)
    number = folders.sort(context, me.uid, recipe.id, {}, "Recipes")
    reading_history.choose(context.db, me.uid, "on")
    context.db.run(reading_history.note_viewed(me.uid, recipe.id))
    yield Stop(liked.path, "who liked it first and last, by name", "Liked by")
    yield Stop(f"{liked.path}/likes", "who likes a post of yours", friends[0].name)
    yield Stop("/bookmarks", "a post that you kept", soup)
    yield Stop(f"/bookmarks/folders/{number}", "the folder that you sorted it into", soup)
    yield Stop("/history", "a post that you opened, as you keep those you open", soup)
    yield Stop(f"/@{me.login}/likes", "what you like, on your profile", soup)


def hot_posts(context: WalkContext) -> Iterator[Stop]:
    """Let friends like and boost a post of the member's, after they saw it."""
    me, friends = context.members.me, context.members.friends
    sentence = "A robin sat on the spade, then on the handle, then on me. Nobody move."
    popular = context.post(me, f"{sentence} #DawnChorus")
    seen = ViewBatch(context)
    for member in (*friends, context.members.chinese, context.members.newcomer):
        seen.add([popular.id], member.uid, f"walk-{member.uid}")
        likes.like(context, member.uid, popular.id)
        boosts.boost(context, member.uid, popular.id)
    seen.flush()
    yield Stop("/explore?lang=all", "what is popular, in all languages or in one", "Nobody move.")
    yield Stop("/tags/dawnchorus/hot", "what is popular under a hashtag", "Nobody move.")
    yield Stop(popular.path, "how many people saw your post", "Seen by")


def polls(context: WalkContext) -> Iterator[Stop]:
    """Ask a poll, and vote in a friend's that ends in five minutes."""
    me, friends = context.members.me, context.members.friends
    poll = context.post(
        me, "Where should Sunday’s walk begin?", poll=Poll(WHERE_TO_START, 1_440, multiple=True)
    )
    for member, options in zip(friends, ([0], [0, 3], [3], [1], [0, 2]), strict=True):
        voting.vote(context, member.uid, poll.id, options)
    short = context.post(
        friends[0],
        "Last biscuit in the hide. You have five minutes.",
        poll=Poll(("Share it", "Toss a coin", "Leave it for the robin"), 5),
    )
    for member, option in ((me, 2), (friends[1], 2), (context.members.chinese, 0)):
        voting.vote(context, member.uid, short.id, [option])
    yield Stop(poll.path, "your poll, with votes", "Mill bridge")
    yield Stop(short.path, "a poll that you voted in; you hear of its end", "Toss a coin")


def quotes_of_posts(context: WalkContext) -> Iterator[Stop]:
    """Let others quote a post, and detach one of the quotes."""
    me, friends = context.members.me, context.members.friends
    quoted = context.post(me, "Heard before seen: cuckoo, twice, across the river. It counts.")
    _quote(context, friends[1], "It counts. I heard it too, and I was in bed.", quoted)
    _quote(context, context.members.chinese, "我这边也听见了，第一声布谷，水正好开。", quoted)
    whistle = _quote(context, friends[3], "Was that not me with the new whistle?", quoted)
    quotes.detach(context, me.uid, whistle.id)
    yield Stop(f"{quoted.path}/quotes", "who quoted a post of yours", "I was in bed")
    yield Stop(whistle.path, "a quote from which you detached your post", "new whistle")


def _quote(context: WalkContext, author: WalkMember, text: str, quoted: Posted) -> Posted:
    return context.post(author, text, quote=quoted.id)
