"""Chats: a group with a bot, a direct chat, an announcement and a request."""

from collections.abc import Iterator

from webapp.chat.bots import store as bots
from webapp.chat.ids import direct_id
from webapp.chat.members import group_chats, membership
from webapp.chat.messages import sending
from webapp.chat.models import Card, Content, Picture
from webapp.core.errors import Conflict
from webapp.core.media import storage as media
from webapp.core.text.parser import parse
from webapp.demo.names import numbered_login
from webapp.demo.pictures.portraits import draw_view, png

from .context import FORM_KEY, Stop, WalkContext
from .walk_members import WalkMember

BOT_LOGIN = "tide_bot"
BOT_TRIES = 100  # logins


def chats(context: WalkContext) -> Iterator[Stop]:
    """Talk in a group, with a friend, and with somebody who must ask first."""
    members = context.members
    yield Stop("/chats", "all your chats", "Sunday walk")
    group = _group(context)
    yield Stop(f"/chats/{group}", "a group chat: picture, reply, reactions, edit", "flask duty")
    yield Stop("/chats/search?q=flasks", "a message, found by a form of its word", "flask duty")
    yield Stop("/settings/bots", "the bot in the group is yours", "Tide bot")
    yield Stop("/chats/new-message", "people to write to, or for a group chat", "New message")
    direct = _direct_chat(context, members.friends[0])
    yield Stop(f"/chats/{direct}", "a direct chat, with a post in it", "See you at the gate")
    news = group_chats.create(
        context,
        members.friends[2].uid,
        "announcement",
        "Marsh news",
        [members.me.uid],
        _draft("The boardwalk is open again. Mind the third plank, it has opinions."),
        FORM_KEY,
        "What the wardens want you to know",
    )
    yield Stop(f"/chats/{news}", "announcements", "the third plank")
    _send(
        context,
        members.stranger,
        direct_id(members.me.uid, members.stranger.uid),
        "Is this your glove?",
    )
    yield Stop("/chats/requests", "a request from someone you don’t follow", "your glove")


def _group(context: WalkContext) -> str:
    """Make a group of friends with a bot, and let them talk. Return its id."""
    members = context.members
    first, second, third = members.friends[:3]
    cid = group_chats.create(
        context,
        members.me.uid,
        "private",
        "Sunday walk",
        [first.uid, second.uid, third.uid, members.chinese.uid],
        _draft("Sunday, seven o’clock? I can bring the big telescope."),
        FORM_KEY,
        "Where, when, and who brings the flask",
    )
    bot = _bot(context)
    membership.add(context, members.me.uid, cid, [bot.uid])
    seven = _send(context, first, cid, "Seven is fine. I am on flask duty.")
    _send(context, second, cid, "Mint tea this time, please.", reply_to=seven)
    _send(context, bot, cid, "High water on Sunday: 07:40. The lower path floods for an hour.")
    view = _send(
        context, members.chinese, cid, "昨天傍晚的，明天应该也好看。", (_view(context, cid),)
    )
    late = _send(context, third, cid, "Might be late by five minutes.")
    text = parse("Might be late by ten minutes. Start without me, not without the flask.")
    sending.edit(context, third.uid, cid, late, text.text, text.entities)
    for member, message, emoji in (
        (members.me, seven, "🎉"),
        (third, seven, "👍"),
        (first, view, "❤️"),
        (second, view, "❤️"),
    ):
        sending.react(context, member.uid, cid, message, emoji, add=True)
    return cid


def _direct_chat(context: WalkContext, friend: WalkMember) -> str:
    """Let the featured member and a friend talk about a post. Return the chat's id."""
    me = context.members.me
    text = "Somebody left a thermos at the mill. It is still warm, and so is my opinion of you."
    shared = context.post(context.members.friends[1], text)
    cid = direct_id(me.uid, friend.uid)
    card = Card(shared.id, shared.author.uid)
    sending.send(context, friend.uid, cid, Content("Is this ours?", card=card), FORM_KEY)
    _send(context, me, cid, "It is. I thought you had it.")
    _send(context, friend, cid, "I thought you had it. See you at the gate, ten to seven?")
    return cid


def _bot(context: WalkContext) -> WalkMember:
    """Make a bot of the featured member, with a number if its login is taken."""
    for number in range(1, BOT_TRIES):
        login = BOT_LOGIN if number == 1 else numbered_login(BOT_LOGIN, number)
        try:
            bot = bots.create_bot(context, context.members.me.uid, login, "Tide bot")
        except Conflict as refusal:
            if refusal.code != "taken":
                raise
        else:
            return WalkMember(bot.uid, bot.login, bot.name)
    raise Conflict("taken")


def _view(context: WalkContext, cid: str) -> Picture:
    """Draw a picture for a chat, and store it."""
    file = png(draw_view(f"chat {context.members.me.login}"))
    stored = media.save_in_chat(context.config, media.new_in_chat(cid), file)
    return Picture(stored.name, stored.width, stored.height, "Hills under a wide evening sky")


def _send(
    context: WalkContext,
    author: WalkMember,
    cid: str,
    text: str,
    pictures: tuple[Picture, ...] = (),
    reply_to: int = 0,
) -> int:
    draft = Content(text, parse(text).entities, reply_to, pictures)
    return sending.send(context, author.uid, cid, draft, FORM_KEY)


def _draft(text: str) -> Content:
    return Content(text, parse(text).entities)
