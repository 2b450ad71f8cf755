"""Fill a site with content that is hard to lay out: the longest words, names and lists allowed."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any, NamedTuple

import orjson
from PIL import Image

from tests.conftest import PASSWORD
from tests.support import worker
from webapp.accounts import lifecycle, profile, registration
from webapp.accounts.tokens import store as tokens
from webapp.chat.bots import keys as bot_keys, store as bots, webhooks
from webapp.core.media import storage as media
from webapp.core.store import Site
from webapp.core.text.parser import parse
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.following.mutes import store as mutes
from webapp.lists import store as lists
from webapp.statuses import Filter, Picture, Poll, keys as status_keys, store as statuses
from webapp.statuses.drafts import store as drafts
from webapp.statuses.edits import editing, pins
from webapp.statuses.filters import store as filters
from webapp.statuses.folders import store as folders
from webapp.statuses.interactions import boosts, likes
from webapp.statuses.polls import voting
from webapp.statuses.quotes import store as quotes
from webapp.statuses.values.card import LinkCard, pack_card
from webapp.statuses.values.pictures import pack_pictures
from webapp.timelines.tags import store as tags

LOGIN = "W" * 15  # the member whose pages are visited; Ann is the other one
BOT = "M" * 15
PROTECTED = "Q" * 15
MUTED = "G" * 15
LONG_TEXT = "W" * 250
LONG_WARNING = "W" * 100
TAG = "tag" * 8
PICTURE_SIZES = {"avatar": (1200, 1600), "header": (1500, 500)}
PROFILE = {
    "name": "W" * 50,
    "bio": f"{'W' * 60}\nsings\n#reeds @ann\nhttps://example.com/{'w' * 40}",
    "location": "W" * 30,
    "website": f"https://{'w' * 60}.example.org/{'w' * 10}",
}
POLL = Poll(("W" * 50, "a", "two words", "W W" * 16), 60, multiple=True)
FAILED_DELIVERY = {
    "chat": "1234",
    "message": 9_999,
    "at": 1_790_000_000_000,
    "tries": 8,
    "error": "no_secret",
}


class LongContent(NamedTuple):
    """The member's uid, and the paths of statuses for everybody and of pages for the member."""

    uid: int
    status_paths: list[str]
    member_paths: list[str]


class Author(NamedTuple):
    """A member who writes, with the site to write to."""

    site: Site
    uid: int

    def post(self, text: str, form_key: str, **options: Any) -> int:
        """Post a status and return its id."""
        parsed = parse(text, 280)
        return statuses.post(self.site, self.uid, parsed, form_key, **options)


def create_long_content(site: Site) -> LongContent:
    """Create two members and their content."""
    ann_uid, uid = (_sign_up(site, login, login.title()) for login in ("ann", LOGIN))
    ann, member = Author(site, ann_uid), Author(site, uid)
    following.follow(site, uid, "ann")
    following.follow(site, ann_uid, LOGIN)
    status = _post_texts(ann)
    replies = _post_thread(member, ann, status)
    likes.like(site, uid, status)
    boosts.boost(site, uid, status)
    _post_polls(ann, member)
    for name in ("W" * 50, "杯" * 50):
        folders.sort(site, uid, status, {}, name)
    _follow_tags_and_create_lists(member)
    worker.drain(site)
    quote = _post_quotes(ann, member, replies[1])
    edited = _post_edited(member)
    _attach_pictures(ann, status)
    hidden_quotes = _post_quotes_without_card(ann, member)
    _save_filters_and_drafts(member)
    _edit_profile(member)
    _create_bot(member)
    lifecycle.grant(site.db, uid, "admin")
    worker.drain(site)
    return LongContent(
        uid,
        [
            *(f"/@ann/{status}{page}" for page in ("", "/likes", "/boosts", "/folders")),
            f"/@ann/{quote}",
            f"/@ann/{quote}/quotes",
            *(f"/@ann/{hidden}" for hidden in hidden_quotes),
            f"/@ann/{replies[-1]}",
            f"/@{LOGIN}/{edited}/history",
        ],
        [f"/@{LOGIN}/{edited}/edit", f"/statuses/new?quote={quote}"],
    )


def noise(width: int, height: int) -> BytesIO:
    """Return a picture of noise, as JPEG."""
    file = BytesIO()
    Image.effect_noise((width, height), 80).convert("RGB").save(file, "JPEG")
    file.seek(0)
    return file


def _sign_up(site: Site, login: str, name: str) -> int:
    return registration.sign_up(site, login, name, PASSWORD).uid


def _post_texts(ann: Author) -> int:
    """Post long and right-to-left texts, and a link with a card. Return the last status."""
    url = f"https://example.com/{'W' * 200}"
    texts = (LONG_TEXT, f"see {url} #{TAG}", "שלום 世界 😀 @ann")
    _, linking, last = (ann.post(text, f"form-{number:08}") for number, text in enumerate(texts))
    card = LinkCard(
        url, "W" * 200, "W" * 300, media.save_link_picture(ann.site.config, noise(800, 420))
    )
    ann.site.db.run(("HSET", status_keys.status(linking), "card", pack_card(card)))
    return last


def _post_thread(member: Author, ann: Author, start: int) -> list[int]:
    """Post a thread of more than a page, with a deleted status. Return the ids of the replies."""
    chain = [start]
    for number in range(12):
        author = ann if number % 2 else member
        text = f"@ann {LONG_TEXT if number % 6 == 1 else number}"
        chain.append(author.post(text, f"form-reply-{number}", reply=chain[-1]))
    statuses.delete(ann.site, ann.uid, chain[4])
    return chain[1:]


def _post_polls(ann: Author, member: Author) -> None:
    """Post polls: one in which the member has voted, one not, and the member's own."""
    voted, _ = (ann.post(f"which {name}?", f"form-poll-{name}", poll=POLL) for name in "ab")
    voting.vote(member.site, member.uid, voted, {0, 2})
    member.post("and mine?", "form-poll-own", poll=replace(POLL, multiple=False))


def _follow_tags_and_create_lists(member: Author) -> None:
    """Follow long hashtags, and create a public list with Ann and a private one without."""
    site, uid = member
    for name in (TAG, "w" * 100):
        tags.follow(site, uid, name)
    for private in (False, True):
        number = lists.create(site, uid, "W" * (50 - private), private, private)
        lists.set_memberships(site, uid, "ann", {number: not private})


def _post_quotes(ann: Author, member: Author, reply: int) -> int:
    """Mention the member, quote a reply, and quote that. Return the first quote."""
    mention = f"@{LOGIN} {LONG_TEXT[:200]}"
    ann.post(mention, "form-mention")
    quote = ann.post(mention, "form-quote", quote=reply)
    member.post(LONG_TEXT, "form-quotes", quote=quote, cw=LONG_WARNING)
    return quote


def _post_edited(member: Author) -> int:
    """Post, pin and edit a status behind a content warning."""
    site, uid = member
    status = member.post("one\n\ntwo", "form-own", cw=LONG_WARNING)
    pins.pin(site, uid, status)
    editing.edit(site, uid, status, parse(LONG_TEXT, 280), LONG_WARNING, "0")
    return status


def _attach_pictures(ann: Author, status: int) -> None:
    """Attach a high and a wide picture with long descriptions."""
    pictures = []
    for number, size in enumerate(PICTURE_SIZES.values()):
        name = f"posts/{ann.uid}/{number:032}"
        saved = media.save_in_status(ann.site.config, name, noise(*size))
        pictures.append(Picture(name, saved.width, saved.height, "W" * 300, saved.colours))
    ann.site.db.run(("HSET", status_keys.status(status), "media", pack_pictures(pictures)))


def _post_quotes_without_card(ann: Author, member: Author) -> list[int]:
    """Post two quotes: one is detached, the other quotes a muted member. Return their ids."""
    site, uid = member
    protected, muted = (_sign_up(site, login, "Q" * 50) for login in (PROTECTED, MUTED))
    lifecycle.protect(site, protected)
    quoted = [Author(site, author).post(LONG_TEXT, "form-quoted") for author in (uid, muted)]
    worker.drain(site)
    found = [ann.post(LONG_TEXT, f"form-quotes-{status}", quote=status) for status in quoted]
    quotes.detach(site, uid, found[0])
    mutes.mute(site, uid, MUTED)
    return found


def _save_filters_and_drafts(member: Author) -> None:
    """Save a filter, a draft, a scheduled post, and one that could not be published."""
    site, uid = member
    filters.save(site, uid, Filter("w" * 100, expires_at=4_000_000_000))
    # A poll with one answer cannot be published.
    content = {"text": LONG_TEXT, "cw": LONG_WARNING, "option1": "W" * 50}
    now = datetime.now(UTC)
    drafts.save(site, uid, "form-draft", content, None)
    drafts.save(site, uid, "form-later", content, now + timedelta(days=9))
    drafts.save(site, uid, "form-failed", content, now - timedelta(seconds=1))
    worker.publish_due(site)


def _edit_profile(member: Author) -> None:
    """Fill every field of the profile, with pictures and a token."""
    site, uid = member
    pictures = {
        kind: media.save(site.config, uid, kind, noise(*size))
        for kind, size in PICTURE_SIZES.items()
    }
    profile.edit(site, uid, PROFILE | pictures)
    tokens.create(site, uid, "W" * 40)


def _create_bot(member: Author) -> None:
    """Create a bot with a token and a failing webhook, and block and mute it."""
    site, uid = member
    bot = bots.create_bot(site, uid, BOT, "M" * 50).uid
    tokens.create(site, bot, "W" * 40)
    webhooks.set_webhook(site, bot, f"https://{'w' * 60}.example.org/{'w' * 300}")
    site.db.run(("LPUSH", bot_keys.webhook_failures(bot), orjson.dumps(FAILED_DELIVERY).decode()))
    site.db.run(("HSET", bot_keys.webhook(bot), "failures", 3, "error", "not_public"))
    blocks.block(site, uid, BOT)
    mutes.mute(site, uid, BOT, 3_600, hide_notifications=True)
