"""Every page at every width and in every language, by day and by night, in motion, at rest and on paper."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from io import BytesIO
from itertools import chain
from typing import Any

import orjson
import pytest
from axe_playwright_python.base import AXE_SCRIPT
from PIL import Image
from playwright.sync_api import Page

from tests.conftest import PASSWORD
from tests.e2e.conftest import OpenPage
from tests.support import worker
from webapp.accounts import lifecycle, profile, registration
from webapp.accounts import store as accounts
from webapp.accounts.sessions import store as sessions
from webapp.accounts.tokens import store as tokens
from webapp.chat.bots import keys as bot_keys
from webapp.chat.bots import store as bots
from webapp.chat.bots import webhooks
from webapp.config import Config
from webapp.core.media import storage as media
from webapp.core.store.client import Db
from webapp.core.store.connection import connect
from webapp.core.store.ids import PARTITIONS
from webapp.core.text.parser import parse
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.following.mutes import store as mutes
from webapp.lists import store as lists
from webapp.statuses import keys as status_keys
from webapp.statuses.attachments.pictures import Picture, pack_pictures
from webapp.statuses.drafts import store as drafts
from webapp.statuses.edits import editing, pins
from webapp.statuses.filters import store as filters
from webapp.statuses.filters.store import Filter
from webapp.statuses.interactions import bookmarks, boosts, likes
from webapp.statuses.polls import voting
from webapp.statuses.polls.poll import Poll
from webapp.statuses.quotes import store as quotes
from webapp.statuses.store import delete, post
from webapp.timelines.tags import store as tags

VIOLATIONS = "options => axe.run(options).then(found => found.violations)"  # and nothing of all that is right
EVERYTHING: dict[str, Any] = {"resultTypes": ["violations"]}
COLOURS = EVERYTHING | {
    "runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
}
WIDTHS = (360, 390, 1280, 1440)
LANGUAGES = {"en": "en-US", "zh": "zh-CN"}
LOGIN = "W" * 15
BOT = "M" * 15
QUIET = "Q" * 15  # a protected member
MUTED = "G" * 15
LONG = "W" * 250
SIZES = {"avatar": (1200, 1600), "header": (1500, 500)}
ABOUT = {
    "name": "W" * 50,
    "bio": f"{'W' * 60}\nsings\n#reeds @ann\nhttps://example.com/{'w' * 40}",
    "location": "W" * 30,
    "website": f"https://{'w' * 60}.example.org/{'w' * 10}",
}
FIT = "() => [document.documentElement.scrollWidth, innerWidth]"
OVER = """() => [...document.querySelectorAll("body *")]
    .filter(one => one.getBoundingClientRect().right > innerWidth + 1)
    .map(one => one.outerHTML.slice(0, 100)).slice(0, 5)"""
SHIFTS = """new PerformanceObserver(list => {
    for (const one of list.getEntries()) window.shifted = (window.shifted ?? 0) + one.value
}).observe({ type: "layout-shift", buffered: true })"""
# Once everything loaded has been drawn, and what was seen of it has been told.
SHIFTED = """async () => {
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame)
    await new Promise(resolve => setTimeout(resolve))
    return window.shifted ?? 0
}"""
OPEN = """name => document.querySelector(`main details:has([name=${name}])`)?.setAttribute("open", "")"""
MOVING = """() => [...document.querySelectorAll("*")].filter(one => {
    const style = getComputedStyle(one)
    return style.transitionDuration.split(", ").some(time => parseFloat(time)) || style.animationName !== "none"
        || style.scrollBehavior === "smooth"
}).map(one => one.outerHTML.slice(0, 100))"""
TAG = "tag" * 8
PUBLIC = (
    f"/ /public /login /signup /@ann /@ann/followers /@ann/following /@{LOGIN} /@{LOGIN}/replies /nowhere "
    f"/about/streaming /tags/{TAG} /tags/nothing /@{LOGIN}/lists /@{LOGIN}/lists/1 /@{LOGIN}/lists/1/members "
    f"/@{QUIET} /@{QUIET}/followers"
)
OWN = (
    "/home /statuses/new /settings/profile /settings/password /settings/sessions /settings/tokens /settings/delete "
    f"/settings/bots /settings/bots/{BOT} /settings/blocks /settings/mutes /@{BOT} /@{LOGIN}/followers "
    "/home?max_id=1 /admin /bookmarks /drafts /scheduled /drafts/form-draft /drafts/form-later /drafts/form-failed "
    "/settings/tags /settings/filters /settings/filters/1 /settings/privacy /requests "
    "/notifications /notifications/follows /settings/notifications "
    f"/lists /lists/1/edit /@ann/lists/add /@{LOGIN}/lists/2"
)
REFUSED: dict[str, dict[str, str]] = {  # what to type into a page's form to have it refused
    "/home": {"text": "x" * 281},
    "/settings/profile": {"name": " ", "bio": "x" * 161, "website": "not a site"},
    "/settings/password": {"old": "wrong password", "new": "short"},
    "/settings/tokens": {"name": " "},
    "/lists": {"name": " "},
    "/statuses/new": {"text": "W" * 280, "at": "2026-01-01T06:30"},
    "/settings/filters": {"words": " "},
    "/settings/filters/1": {"words": " "},
    f"/@{LOGIN}/lists/1/members": {"login": "not a login"},
    "/settings/delete": {"password": "wrong password"},
    "/settings/bots": {"login": "not a login", "name": " "},
    "/signup": {"login": "not a login", "name": " ", "password": "short"},
    "/login": {"login": "nobody", "password": "wrong password"},
}
Furnished = tuple[Page, list[str]]


@pytest.fixture
def furnish(open_page: OpenPage, settings: Config, site: str) -> Callable[..., Furnished]:
    """Makes two members with all that is hard to lay out; opens a browser, and says which pages it can see."""

    def make(member: bool, **options: Any) -> Furnished:
        db = connect(settings)
        ann, uid = (
            registration.sign_up(db, settings, login, login.title(), PASSWORD).uid
            for login in ("ann", LOGIN)
        )
        following.follow(db, settings, uid, "ann")
        following.follow(db, settings, ann, LOGIN)
        texts = (LONG, f"see https://example.com/{'W' * 200} #{TAG}", "שלום 世界 😀 @ann")
        status = [
            post(db, settings, ann, parse(text, 280), f"form-{number:08}")
            for number, text in enumerate(texts)
        ][-1]
        answers = thread(db, settings, (uid, ann), status)
        likes.like(db, settings, uid, status)
        boosts.boost(db, settings, uid, status)
        asked = Poll(("W" * 50, "a", "two words", "W W" * 16), 60, multiple=True)
        polls = [
            post(db, settings, ann, parse(f"which {one}?"), f"form-poll-{one}", poll=asked)
            for one in "ab"
        ]
        voting.vote(db, settings, uid, polls[0], {0, 2})
        post(
            db,
            settings,
            uid,
            parse("and mine?"),
            "form-poll-own",
            poll=replace(asked, multiple=False),
        )
        bookmarks.bookmark(db, settings, uid, status)
        for name in (TAG, "w" * 100):
            tags.follow(db, settings, uid, name)
        for private in (False, True):
            number = lists.create(db, settings, uid, "W" * (50 - private), private, private)
            lists.set_memberships(db, settings, uid, "ann", {number: not private})
        worker.drain(db, settings)
        post(db, settings, ann, parse(f"@{LOGIN} {LONG[:200]}", 280), "form-mention")
        quote = post(
            db, settings, ann, parse(f"@{LOGIN} {LONG[:200]}", 280), "form-quote", quote=answers[1]
        )
        post(db, settings, uid, parse(LONG, 280), "form-quotes", quote=quote, cw="W" * 100)
        changed = post(db, settings, uid, parse("one\n\ntwo", 280), "form-own", cw="W" * 100)
        pins.pin(db, settings, uid, changed)
        editing.edit(db, settings, uid, changed, parse(LONG, 280), "W" * 100, "0")
        shots = []
        for number, size in enumerate(SIZES.values()):
            name = f"posts/{ann}/{number:032}"
            shape = media.save_in_status(settings, name, noise(*size), "image/jpeg")
            shots.append(Picture(name, *shape[:2], "W" * 300, shape[2]))
        db.run(("HSET", status_keys.status(status), "media", pack_pictures(shots)))
        quoted = furnish_own(db, settings, uid, ann)
        pictures = {
            kind: media.save(settings, uid, kind, noise(*size), "image/jpeg")
            for kind, size in SIZES.items()
        }
        profile.edit(db, settings, uid, ABOUT | pictures)
        tokens.create(db, settings, uid, "W" * 40)
        bot = bots.create_bot(db, settings, uid, BOT, "M" * 50).uid
        tokens.create(db, settings, bot, "W" * 40)
        webhooks.set_webhook(db, settings, bot, f"https://{'w' * 60}.example.org/{'w' * 300}")
        failed = {
            "chat": "1234",
            "message": 9_999,
            "at": 1_790_000_000_000,
            "tries": 8,
            "error": "no_secret",
        }
        db.run(("LPUSH", bot_keys.webhook_failures(bot), orjson.dumps(failed).decode()))
        db.run(("HSET", bot_keys.webhook(bot), "failures", 3, "error", "not_public"))
        blocks.block(db, settings, uid, BOT)
        mutes.mute(db, settings, uid, BOT, 3_600, hide_notifications=True)
        lifecycle.grant(db, uid, "admin")
        worker.drain(db, settings)
        page = open_page(**options)
        if member:
            cookie = {"name": "linnet", "value": sessions.start(db, settings, uid), "url": site}
            page.context.add_cookies([cookie])
        db.close()
        own = [f"/@ann/{status}{part}" for part in ("", "/likes", "/boosts")]
        own += [f"/@ann/{quote}", f"/@ann/{quote}/quotes", *(f"/@ann/{one}" for one in quoted)]
        own += [f"/@ann/{answers[-1]}", f"/@{LOGIN}/{changed}/history"]
        members = [*OWN.split(), f"/@{LOGIN}/{changed}/edit", f"/statuses/new?quote={quote}"]
        return page, [*PUBLIC.split(), *own, *(members if member else [])]

    return make


def furnish_own(db: Db, config: Config, uid: int, ann: int) -> list[int]:
    """Makes what only the member sees: a filter, and drafts; and two quotes that show them no card. Their ids."""
    quiet, muted = (
        registration.sign_up(db, config, login, "Q" * 50, PASSWORD).uid for login in (QUIET, MUTED)
    )
    lifecycle.protect(db, config, quiet)
    filters.save(db, config, uid, Filter("w" * 100, expires_at=4_000_000_000))
    words = {"text": LONG, "cw": "W" * 100, "option1": "W" * 50}
    for form, due in (
        ("form-draft", None),
        ("form-later", timedelta(days=9)),
        ("form-failed", -timedelta(seconds=1)),
    ):
        drafts.save(db, config, uid, form, words, due and datetime.now(UTC) + due)
    drafts.publish_due(db, config, range(PARTITIONS))  # a poll of one answer is none
    quotes_of = [post(db, config, author, parse(LONG), "form-quoted") for author in (uid, muted)]
    worker.drain(db, config)
    found = [
        post(db, config, ann, parse(LONG), f"form-quotes-{one}", quote=one) for one in quotes_of
    ]
    quotes.detach(db, config, uid, found[0])
    mutes.mute(db, config, uid, MUTED)
    return found


def thread(db: Db, config: Config, writers: Sequence[int], start: int) -> list[int]:
    """Replies to replies, more than one page shows of them, with a gap among them."""
    made = [start]
    for number in range(12):
        text = parse(f"@ann {LONG if number % 6 == 1 else number}", 280)
        made.append(
            post(db, config, writers[number % 2], text, f"form-reply-{number}", reply=made[-1])
        )
    delete(db, config, writers[1], made[4])
    return made[1:]


def noise(width: int, height: int) -> BytesIO:
    """A photograph of nothing."""
    file = BytesIO()
    Image.effect_noise((width, height), 80).convert("RGB").save(file, "JPEG")
    file.seek(0)
    return file


def refusals(page: Page, member: bool) -> Iterator[str]:
    """Leaves each form that was refused on the page, one after the other."""
    for path, texts in REFUSED.items():
        if (path in ("/signup", "/login")) == member:
            continue
        page.goto(path)
        for name, text in texts.items():
            page.evaluate(OPEN, name)
            page.locator(f"main [name={name}]").first.fill(text)
        page.evaluate("document.querySelectorAll('form').forEach(form => (form.noValidate = true))")
        # One that is said to be disabled works all the same: the server has the last word.
        page.locator(
            f"main form:has([name={name}]) button:not([type=button])"
        ).first.dispatch_event("click")
        page.locator("[aria-invalid=true], .notice-error").first.wait_for()
        yield f"{path} refused"


def openings(page: Page, config: Config) -> Iterator[str]:
    """Leaves what shows once it is asked for on the page, one after the other; at the end the member is protected."""
    page.goto("/home")
    page.locator(".status-delete summary").first.click()
    yield "delete"
    page.goto("/@ann")
    page.locator(".shot").first.click()
    page.locator(".lightbox img").wait_for()
    yield "lightbox"
    db = connect(config)
    lifecycle.protect(db, config, db.read(accounts.uid_by_login(LOGIN)))
    following.follow(db, config, db.read(accounts.uid_by_login(MUTED)), LOGIN)
    worker.drain(db, config)
    db.close()
    for path, shown in (("/requests", ".person-asks"), ("/notifications", ".people-note .count")):
        page.goto(path)
        page.locator(shown).wait_for()
        yield f"{path} with a request"


# Not each with each: a page in Chinese has the same parts, and visitors' pages are nearly all members' too.
@pytest.mark.parametrize(
    ("member", "locale", "width"), [(True, "en", 390), (True, "zh", 1280), (False, "en", 390)]
)
def test_every_page_fits_shifts_nothing_moves_nothing_and_is_for_everybody(
    furnish: Callable[..., Furnished], settings: Config, member: bool, locale: str, width: int
) -> None:
    options: dict[str, Any] = {"viewport": {"width": width, "height": 800}}
    page, paths = furnish(member, locale=LANGUAGES[locale], reduced_motion="reduce", **options)
    look_closely(page)
    found: list[Any] = []
    seen: set[str] = set()
    for path in paths:
        answer = page.goto(path)
        assert answer and answer.ok == (path != "/nowhere"), path
        if page.url in seen:  # a member is sent home from where visitors are asked in
            continue
        seen.add(page.url)
        shifted = page.evaluate(SHIFTED)
        if shifted >= 0.005:  # a time that is put into the reader's own words may be a word longer
            found.append((path, "shifts", shifted))
        found += [(path, "moves", one) for one in page.evaluate(MOVING)]
        found += faults(page, path, width)
    for where in chain(refusals(page, member), openings(page, settings) if member else ()):
        found += faults(page, where, width)
    assert found == []


def look_closely(page: Page) -> None:
    """Has every page from here on tell what shifts, and know axe-core, which is large and so is sent but once."""
    page.add_init_script(SHIFTS)
    page.add_init_script(AXE_SCRIPT)


def faults(page: Page, where: str, width: int) -> list[Any]:
    """What axe-core finds on a page at one width, and at which it scrolls sideways."""
    found: list[Any] = [*problems(page, where)]
    for other in sorted(WIDTHS, key=lambda one: one == width):  # so that it ends as it was
        page.set_viewport_size({"width": other, "height": 800})
        needed, given = page.evaluate(FIT)
        if needed > given:
            found.append((where, other, needed, page.evaluate(OVER)))
    return found


def problems(page: Page, where: str) -> list[tuple[str, str, str]]:
    """What axe-core finds on a page that is more than minor; by night only colours are another matter."""
    violations: list[tuple[str, Any]] = []
    for scheme, rules in (("dark", COLOURS), ("light", EVERYTHING)):
        page.emulate_media(color_scheme=scheme)
        violations += [(scheme, one) for one in page.evaluate(VIOLATIONS, rules)]
    return [
        (
            f"{where}, {scheme}",
            f"{one['id']}: {one['help']}",
            re.sub(r"\s+", " ", one["nodes"][0]["html"])[:200],
        )
        for scheme, one in violations
        if one["impact"] != "minor"
    ]


def test_the_measures_measure(furnish: Callable[..., Furnished]) -> None:
    page, _ = furnish(False)
    page.add_init_script(SHIFTS)
    page.goto("/public")
    assert page.evaluate(MOVING) != []
    page.evaluate("document.querySelector('main').style.paddingTop = '200px'")
    assert page.evaluate(SHIFTED) > 0
    page.evaluate("document.querySelector('main').style.width = '200vw'")
    needed, given = page.evaluate(FIT)
    assert needed > given and page.evaluate(OVER)


def test_paper_gets_dark_words_alone(furnish: Callable[..., Furnished]) -> None:
    page, paths = furnish(True, color_scheme="dark")
    page.goto("/home")
    page.get_by_role("button", name="Dark").click()
    page.emulate_media(media="print")
    for path in (
        "/home",
        "/@ann",
        f"/@{LOGIN}",
        f"/@{LOGIN}/followers",
        "/public",
        *(one for one in paths if "/@ann/" in one),
        "/bookmarks",
        "/notifications",
    ):
        page.goto(path)
        for control in ("button", ".button", "textarea", "nav", "footer", "img", "svg.avatar"):
            assert page.locator(f"{control}:visible").count() == 0, (path, control)
        assert page.locator("h1:visible").count() == 1
        assert (
            page.evaluate("getComputedStyle(document.querySelector('h1')).color")
            == "rgb(26, 32, 31)"
        )
    page.goto("/public")
    assert page.locator(".status-body:visible").count() == 11  # and one behind its warning
