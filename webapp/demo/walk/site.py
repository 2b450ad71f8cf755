"""Parts of the walk that point to pages of the site, and write nothing."""

from __future__ import annotations

from collections.abc import Iterator

from webapp.chat.bots import store as bots

from .context import Stop, WalkContext


def reading(_: WalkContext) -> Iterator[Stop]:
    """Point to the timelines."""
    yield Stop("/home", "your home, live: write a post, and it appears without a reload", "Home")
    yield Stop("/public", "everybody’s public posts, live; older ones come as you scroll", "Public")


def speed(context: WalkContext) -> Iterator[Stop]:
    """Point to a page that visitors get from the cache."""
    login = context.members.me.login
    yield Stop(
        f"/@{login}/replies",
        "in a private window: the cached page of visitors",
        f"@{login}",
    )


def accessibility_and_languages(_: WalkContext) -> Iterator[Stop]:
    """Point to the preferences, at the end of every page."""
    yield Stop("/public", "at the end of the page: languages, light and dark", "简体中文")
    yield Stop(
        "/settings", "all settings, and in the account menu what phones leave out", "Account"
    )
    yield Stop(
        "/privacy", "what is stored about members, in your own words if you write them", "Privacy"
    )


def interfaces(context: WalkContext) -> Iterator[Stop]:
    """Point to the streams, feeds, tokens and bots."""
    yield Stop("/about/streaming", "streams, and how to read them", "stream")
    yield Stop("/tags/dawnchorus.atom", "the feed of a hashtag", "dawnchorus")
    yield Stop("/settings/tokens", "access tokens for programs", "token")
    for bot in bots.list_bots(context.db, context.members.me.uid):
        yield Stop(f"/settings/bots/{bot.login}", "your bot’s tokens and webhook", "Add webhook")
