"""Parts of the walk about the site: its pages, its moderators, its apps."""

import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from webapp.accounts import lifecycle, store as accounts
from webapp.chat.bots import store as bots
from webapp.chat.members import group_chats
from webapp.chat.models import Content
from webapp.client_api.oauth import apps, codes
from webapp.core.forms.idempotency import new_form_key
from webapp.core.settings import bans_and_countries
from webapp.core.store import first_id_at
from webapp.core.text.parser import parse
from webapp.moderation import acting, desk
from webapp.moderation.bans.labels import ADDED
from webapp.moderation.bans.store import entry_of, log_changes
from webapp.reports import store as reports
from webapp.reports.category import Category
from webapp.site_settings import DOMAIN, HIDE, NETWORK, REFUSE, REPORT, REVIEW, SIGNUP, WORD, Ban
from webapp.statuses.drafts import store as drafts
from webapp.timelines.home.frame import mark_read

from .context import Stop, WalkContext

TRENDING = (
    "One swallow over the mill pond at seven. One does not make a summer, but it made my Tuesday.",
    "Swallow on the wire outside the bakery! It looked as tired as I feel.",
    "First one of the year here too. It went straight to last year’s nest and complained.",
    "Two over the reservoir, low, in the rain. Welcome back, sorry about the weather.",
    "None yet. I am refreshing the sky.",
    "Ours is early: nine days before last year, says the notebook in the shed.",
)
REFUSED = (
    Ban(WORD, "free followers", REFUSE, "Spam of every week."),
    Ban(WORD, "代开发票", REFUSE, "Fake invoices."),
    Ban(DOMAIN, "spam.example", REFUSE),
    Ban(WORD, "miracle cure", HIDE, "Mostly adverts."),
    Ban(WORD, "feather casino", REVIEW, "Mostly adverts too, but some mean the pub."),
    Ban(WORD, "crypto giveaway", REPORT, "Nearly always a scam."),
    Ban(NETWORK, "192.0.2.0/24", SIGNUP, "Forty accounts in an hour."),
)


def reading(context: WalkContext) -> Iterator[Stop]:
    """Point to the timelines. The featured member has read up to yesterday."""
    yesterday = (datetime.now(UTC) - timedelta(days=1)).timestamp()
    mark_read(context.db, context.members.me.uid, home=first_id_at(int(yesterday * 1000)))
    yield Stop("/home", "your home, live: write a post, and it appears without a reload", "Home")
    yield Stop("/home", "tabs, and a link to where you stopped reading, on any device", "Popular")
    yield Stop("/public", "everybody’s public posts, live; older ones come as you scroll", "Newest")


def explore(context: WalkContext) -> Iterator[Stop]:
    """Let the friends talk about one thing, so that it trends. Open a group."""
    members = context.members
    for member, text in zip((members.me, *members.friends), TRENDING, strict=True):
        context.post(member, f"{text} #firstswallow https://example.org/swallows/arrivals")
    context.post(members.chinese, "今年的第一只燕子，从屋檐下飞过去了。 #firstswallow")
    uids = [friend.uid for friend in members.friends]
    text = "Wheatear on the sea wall this morning. Who has seen the first sand martin?"
    arrivals = Content(text, parse(text).entities)
    group_chats.create(
        context,
        members.me.uid,
        "open",
        "First arrivals",
        uids,
        arrivals,
        "demo-explore",
        topic="Who is back this spring, and where you saw them",
    )
    yield Stop("/explore", "the posts that most people like and boost today", "Explore")
    yield Stop("/explore/tags", "hashtags that rise, each with two posts", "#firstswallow")
    yield Stop("/explore/links", "links that several people share", "example.org/swallows/arrivals")
    yield Stop("/explore/groups?q=arrivals", "a group chat found by its name", "First arrivals")


def speed(context: WalkContext) -> Iterator[Stop]:
    """Point to a page that visitors get from the cache."""
    login = context.members.me.login
    yield Stop(
        f"/@{login}/replies",
        "in a private window: the cached page of visitors",
        f"@{login}",
    )


def site_status(context: WalkContext) -> Iterator[Stop]:
    """Give the featured member the right to see the site's figures."""
    lifecycle.grant(context.db, context.members.me.uid, "admin")
    yield Stop("/admin?span=month", "what the site did: charts, routes, processes and log", "Posts")
    yield Stop("/admin/security", "what happened to all accounts", "Got the right: Admin")


def own_site(_: WalkContext) -> Iterator[Stop]:
    """Point to the settings, which the featured member may change as an admin."""
    yield Stop("/admin/settings", "the site's name, limits and pages, changed live", "History")


def two_step_login(_: WalkContext) -> Iterator[Stop]:
    """Point to the second step of logging in, which needs a phone of one's own."""
    yield Stop("/settings/security/app", "a code after the password; scan one", "Scan this code")


def passkeys(_: WalkContext) -> Iterator[Stop]:
    """Point to passkeys, which need a device of one's own, and to what opens the account."""
    yield Stop("/settings/security", "passkeys, and what happened to your account", "Passkeys")
    about = "all that opens your account besides the password; remove it in one press"
    yield Stop("/settings/security/access", about, "Remove them all")


def recovery_codes(_: WalkContext) -> Iterator[Stop]:
    """Point to recovery codes, which are shown once."""
    found = "You have no recovery codes"
    yield Stop("/settings/security", "codes for the day you forget your password", found)


def moderation(context: WalkContext) -> Iterator[Stop]:
    """Make the featured member a moderator, with reports that wait and one that is done."""
    members = context.members
    lifecycle.grant(context.db, members.me.uid, "moderator")
    me = context.db.read(accounts.get_or_404(members.me.uid))
    spam = "Cheap feathers! Everybody buys them at feathers.example."
    posted = context.post(members.rude, spam)
    friend, category = members.friends[0].uid, Category.SPAM
    reports.report_status(context, friend, posted.id, "The same again and again.", category)
    quiet = "They write too much about geese."
    reports.report_member(context, friend, members.loud.login, quiet)
    report_id = f"{friend}:member:{members.loud.uid}"
    desk.answer_reports(context, me, "dismiss", "Geese are allowed.", [report_id])
    acting.act(context, me, members.rude.uid, "note", "Third report this month.")
    yield Stop("/moderation", "the reports that wait for you", spam)
    yield Stop(f"/moderation/@{members.rude.login}", "what is known about a member", "Third report")
    yield Stop("/admin/members?state=active", "all members, newest first", members.loud.login)
    now = int(time.time() * 1000)
    for refused in REFUSED:
        ban = replace(refused, by=me.login, at=now)
        bans_and_countries.change_ban(context.db, ban, True, entry_of(ban, ADDED, me.login), "")
    log_changes(context.db)
    waiting = {"text": "Quiz night in the Feather Casino on Thursday. Who joins us?"}
    drafts.save(context, members.loud.uid, new_form_key(), waiting, datetime.now(UTC))
    yield Stop("/moderation/terms", "words that nobody can post, or not at once", "free followers")
    yield Stop("/moderation/networks", "networks that cannot sign up", "192.0.2.0/24")
    yield Stop("/moderation/log", "everything that moderators did", "Geese are allowed.")


def accessibility_and_languages(_: WalkContext) -> Iterator[Stop]:
    """Point to the preferences, at the end of every page."""
    yield Stop("/public", "at the end of the page: languages, light and dark", "简体中文")
    yield Stop(
        "/settings", "all settings, and in the account menu what phones leave out", "Account"
    )
    yield Stop(
        "/privacy", "what is stored about members, in your own words if you write them", "Privacy"
    )


def apps_of_phones(context: WalkContext) -> Iterator[Stop]:
    """Let the featured member sign in from an app."""
    redirect, scopes, me = "urn:ietf:wg:oauth:2.0:oob", ("read", "write"), context.members.me
    app, _ = apps.register(context, "Pocket birds", "", [redirect], scopes)
    code = codes.grant(context, me.uid, app, redirect, scopes, "")
    codes.exchange(context, app, code, redirect, "")
    yield Stop(
        "/settings/tokens", "the apps that you signed in from, and what they may do", app.name
    )
    yield Stop(
        "/api/v2/instance", "what an app asks first: this site and its limits", "max_characters"
    )


def interfaces(context: WalkContext) -> Iterator[Stop]:
    """Point to the streams, feeds, tokens and bots."""
    yield Stop("/about/streaming", "streams, and how to read them", "stream")
    yield Stop("/tags/dawnchorus.atom", "the feed of a hashtag", "dawnchorus")
    yield Stop("/settings/tokens", "access tokens for programs", "token")
    for bot in bots.list_bots(context.db, context.members.me.uid):
        yield Stop(f"/settings/bots/{bot.login}", "your bot’s tokens and webhook", "Add webhook")
