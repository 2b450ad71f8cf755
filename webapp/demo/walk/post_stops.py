"""Posting, audiences, drafts and scheduled posts, and posts on other sites."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from io import BytesIO

from werkzeug.datastructures import FileStorage

from webapp.core.forms.fields import UploadedPicture
from webapp.core.text.parser import parse
from webapp.demo.pictures.portraits import draw_flight, draw_uploads
from webapp.statuses import Place, Visibility
from webapp.statuses.attachments.staging import stage, stage_for_draft
from webapp.statuses.drafts import store as drafts
from webapp.statuses.edits import editing, pins

from .context import Stop, WalkContext
from .walk_members import WalkMember

DAWN = (  # long enough for "Show more"
    "Who sang first this morning:\n\n4:02 robin\n4:05 blackbird\n4:09 song thrush\n4:15 wren\n"
    "4:21 cuckoo\n4:24 great tit\n4:28 chiffchaff\n4:31 blackcap\n4:37 chaffinch\n4:40 goldcrest\n"
    "4:44 dunnock\n4:52 linnet\n5:10 house sparrow\n5:30 the neighbour, at the robin"
)
EAST_HIDE = Place(52.3142, 1.6401, "East hide, the marsh")


def posting(context: WalkContext) -> Iterator[Stop]:
    """Post with pictures, still and animated, a place and a warning. Edit a post, and pin one."""
    me, friend = context.members.me, context.members.friends[0]
    view = context.post(
        friend,
        "Six in the morning, nobody else about, and the whole marsh switched on at once.",
        EAST_HIDE,
        pictures=stage(context, friend.uid, _draw_views(friend)),
    )
    yield Stop(view.path, "pictures with descriptions, and a place", EAST_HIDE.name)
    moving = context.post(
        friend,
        "Nobody believes me about the gull. It flies past every two seconds, on the dot.",
        pictures=stage(context, friend.uid, [_draw_flight(friend)]),
    )
    yield Stop(moving.path, "a picture that moves until you press it", "Play GIF: A gull crosses")
    crumble = "Brown butter first. Then twice the crumble that the recipe thinks you need."
    warned = context.post(context.members.friends[3], crumble, cw="Dessert, in detail")
    yield Stop(warned.path, "a content warning", "Dessert, in detail")
    pellet = "What the owl left on the bench of the east hide. You have been told."
    pictures = stage(context, friend.uid, _draw_views(friend))
    covered = context.post(friend, pellet, pictures=pictures, sensitive=True)
    yield Stop(covered.path, "sensitive pictures", "Sensitive pictures")
    context.post(friend, DAWN)
    yield Stop(f"/@{friend.login}", "a long post, folded in lists", "Show more")
    edited = _post_and_edit(context, me)
    yield Stop(f"{edited}/history", "an edited post, and what it said before", "one swift")
    pinned = context.post(me, "Hello! I post about birds, bread and being late. Mostly all three.")
    pins.pin(context, me.uid, pinned.id)
    yield Stop(f"/@{friend.login}/media", "the pictures of a member", "Hills in layers")
    yield Stop(f"/@{me.login}", "a post that you pinned", "Mostly all three.")
    yield Stop("/statuses/new", "write your own", "happening?")


def audiences(context: WalkContext) -> Iterator[Stop]:
    """Post unlisted, for followers, and for the mentioned members."""
    me, friend = context.members.me, context.members.friends[1]
    unlisted = context.post(
        me, "Notes to self, in public: fix the gate, oil the bike.", visibility=Visibility.UNLISTED
    )
    followers = context.post(
        friend,
        "For followers only: the nest is behind the third post. Walk on, do not point.",
        visibility=Visibility.FOLLOWERS,
    )
    mentioned = context.post(
        friend,
        f"@{me.login} between us: I have forgotten whose turn it is to bring the cake.",
        visibility=Visibility.MENTIONED,
    )
    yield Stop(unlisted.path, "an unlisted post", "oil the bike")
    yield Stop(followers.path, "a post for followers", "behind the third post")
    yield Stop(mentioned.path, "a post for you alone, because it mentions you", "between us")


def drafts_and_scheduled(context: WalkContext) -> Iterator[Stop]:
    """Save a draft, and schedule a thread for tomorrow."""
    uid = context.members.me.uid
    draft = {"text": "Things I have mistaken for a heron, a list: a fence, a heron-shaped fence,"}
    planned = {
        "text": "Good morning! If you read this, I am on the first ferry.",
        "more1": "If you read this too, I have found the coffee. Where shall we meet?",
        "more1_option1": "At the lighthouse",
        "more1_option2": "At the café",
    }
    pictures = stage_for_draft(context, uid, _draw_views(context.members.me))
    drafts.save(context, uid, "demo-walk-draft", draft, None, pictures)
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    drafts.save(context, uid, "demo-walk-scheduled", planned, tomorrow)
    yield Stop("/drafts", "an unfinished draft", "Things I have mistaken")
    yield Stop("/scheduled", "a thread that goes out tomorrow", "I am on the first ferry")


def _post_and_edit(context: WalkContext, author: WalkMember) -> str:
    """Post a status and correct it. Return its path."""
    first = context.post(
        author, "Twenty-one swifts over the mill tonight. Or one swift, very keen."
    )
    corrected = parse("Twenty-two swifts over the mill tonight. I had missed the one on the roof.")
    editing.edit(context, author.uid, first.id, corrected, "", "0")
    return first.path


def _draw_views(author: WalkMember) -> list[UploadedPicture]:
    alts = ("Hills in layers under a wide sky", "Hills again, in the colours of an hour later")
    return draw_uploads(author.login, alts)


def _draw_flight(author: WalkMember) -> UploadedPicture:
    file, (first, *others) = BytesIO(), draw_flight(author.login)
    first.save(file, "PNG", save_all=True, append_images=others, duration=80, compress_level=1)
    return UploadedPicture(FileStorage(file), "A gull crosses the hills, again and again")


def sharing(context: WalkContext) -> Iterator[Stop]:
    """Post something for other sites to show, below a friend's picture."""
    me, friend = context.members.me, context.members.friends[1]
    linked = context.post(
        me,
        "Painted the gate. The robin was on it before the lid was on the tin.",
        pictures=stage(context, me.uid, _draw_views(me)[1:]),
    )
    context.post(
        friend,
        "The ferry was late, so I got this instead. Worth the wait, do not tell the ferry.",
        pictures=stage(context, friend.uid, _draw_views(friend)[:1]),
    )
    yield Stop(f"{linked.path}/embed", "a post of yours as other sites show it", "Painted the gate")
    yield Stop(f"/@{me.login}/media", "your pictures", "Hills again")
    yield Stop("/sitemap.xml", "what search engines are told of", "sitemap-posts-1.xml")
    yield Stop("/offline", "what an installed site shows without a connection", "Try again")
