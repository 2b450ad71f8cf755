"""Every page fits every width, is accessible in both colour schemes, and can be printed."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import long
from tests.e2e import measurements
from tests.e2e.conftest import OpenPage, open_menu, sign_up
from tests.support import worker
from tests.support.long_content import (
    BOT,
    LOGIN,
    MUTED,
    PROTECTED,
    TAG,
    LongContent,
    create_long_content,
)
from tests.support.world import Web
from webapp.accounts import lifecycle, store as accounts
from webapp.accounts.sessions import store as sessions
from webapp.core.store import Site
from webapp.following import store as following

LANGUAGES = {"en": "en-US", "zh": "zh-CN"}
OPEN_DETAILS_OF_FIELD = """name => {
    document.querySelector(`main details:has([name=${name}])`)?.setAttribute("open", "")
}"""
SKIP_BROWSER_VALIDATION = "document.querySelectorAll('form').forEach(f => (f.noValidate = true))"
HEADING_COLOUR = "getComputedStyle(document.querySelector('h1')).color"
CONTROLS = ("button", ".button", "textarea", "nav", "footer", "img.avatar", "svg.avatar")
PUBLIC_PATHS = (
    f"/ /public /login /signup /@ann /@ann/followers /@ann/following /@{LOGIN} /@{LOGIN}/replies "
    f"/nowhere /about /privacy /about/streaming /tags/{TAG} /tags/nothing /@{LOGIN}/lists "
    f"/@{LOGIN}/lists/1 /@{LOGIN}/lists/1/members "
    f"/@{PROTECTED} /@{PROTECTED}/followers"
)
MEMBER_PATHS = (
    "/home /statuses/new /settings /settings/appearance /settings/profile "
    "/settings/password /settings/username /settings/sessions "
    f"/settings/tokens /settings/delete /settings/bots /settings/bots/{BOT} /settings/blocks "
    f"/settings/mutes /@{BOT} /@{LOGIN}/followers /home?max_id=1 /admin /bookmarks /drafts "
    "/bookmarks/folders/1 /bookmarks/folders/1/edit /settings/delete-posts "
    "/scheduled /drafts/form-draft /drafts/form-later /drafts/form-failed "
    "/settings/tags /settings/filters /settings/filters/1 /settings/privacy /requests "
    "/settings/home /settings/hidden-boosts "
    "/notifications /notifications/follows /settings/notifications "
    f"/lists /lists/1/edit /@ann/lists/add /@{LOGIN}/lists/2"
)
# One page of each kind, for the run before a landing.
FIRST_LOOKED_AT = frozenset(
    f"/home /public /@ann /@{LOGIN}/followers /statuses/new /notifications /settings /lists "
    "/settings/profile /settings/filters /bookmarks /admin /tags/nothing /nowhere".split()
)
# Values that a page's form refuses.
REFUSED_VALUES: dict[str, dict[str, str]] = {
    "/home": {"text": "x" * 281},
    "/settings/profile": {"name": " ", "bio": "x" * 161, "website": "not a site"},
    "/settings/password": {"old": "wrong password", "new": "short"},
    "/settings/tokens": {"name": " "},
    "/lists": {"name": " "},
    "/bookmarks/folders/1/edit": {"name": " "},
    "/statuses/new": {"text": "W" * 280, "at": "2026-01-01T06:30"},
    "/settings/filters": {"words": " "},
    "/settings/filters/1": {"words": " "},
    "/settings/delete": {"password": "wrong password"},
    "/settings/bots": {"login": "not a login", "name": " "},
    "/signup": {"login": "not a login", "name": " ", "password": "short"},
    "/login": {"login": "nobody", "password": "wrong password"},
}


@pytest.fixture
def content(web: Web) -> LongContent:
    """Content that is hard to lay out."""
    return create_long_content(web)


def sign_in(page: Page, site: Site, uid: int, url: str) -> None:
    """Sign a member in without the form."""
    cookie = {"name": "linnet", "value": sessions.start(site, uid), "url": url}
    page.context.add_cookies([cookie])  # type: ignore[list-item]


def refused_forms(page: Page, is_member: bool) -> Iterator[str]:
    """Submit each form with values that are refused. Yield what the page shows then."""
    for path, values in REFUSED_VALUES.items():
        if (path in ("/signup", "/login")) == is_member:
            continue
        page.goto(path)
        for name, text in values.items():
            page.evaluate(OPEN_DETAILS_OF_FIELD, name)
            page.locator(f"main [name={name}]").first.fill(text)
        page.evaluate(SKIP_BROWSER_VALIDATION)
        # A button with aria-disabled still submits: the server has the last word.
        enabled = "button:not([type=button], [disabled], [formaction])"
        button = page.locator(f"main form:has([name={name}]) {enabled}").first
        button.dispatch_event("click")
        page.locator("[aria-invalid=true], .notice-error").first.wait_for()
        yield f"{path} refused"


def opened_parts(page: Page, site: Site) -> Iterator[str]:
    """Open a menu, a lightbox and pages with a follow request. Yield what the page shows then.

    The member is protected afterwards.
    """
    page.goto("/home")
    open_menu(page.locator(".status").first)
    for submenu in page.locator(".submenu > summary").all():
        submenu.click()
    yield "menu"
    page.goto("/@ann")
    page.locator(".gallery-picture").first.click()
    page.locator(".lightbox img").wait_for()
    yield "lightbox"
    lifecycle.protect(site, site.db.read(accounts.uid_by_login(LOGIN)))
    following.follow(site, site.db.read(accounts.uid_by_login(MUTED)), LOGIN)
    worker.drain(site)
    for path, shown in (("/requests", ".person-asks"), ("/notifications", ".people-note .count")):
        page.goto(path)
        page.locator(shown).wait_for()
        yield f"{path} with a request"


# Not every combination: pages in Chinese have the same parts, and members see visitors' pages too.
@pytest.mark.parametrize(
    ("is_member", "locale", "width", "only"),
    [
        (True, "en", 390, FIRST_LOOKED_AT),
        long(True, "en", 390, None),
        long(True, "zh", 1280, None),
        long(False, "en", 390, None),
    ],
    ids=["some pages", "all", "all in Chinese", "all for visitors"],
)
def test_every_page_fits_is_stable_and_accessible(
    open_page: OpenPage,
    web: Web,
    site: str,
    content: LongContent,
    expected_errors: list[str],
    is_member: bool,
    locale: str,
    width: int,
    only: frozenset[str] | None,
) -> None:
    expected_errors.append("422")  # refused forms
    size: Any = {"width": width, "height": measurements.HEIGHT}
    page = open_page(viewport=size, locale=LANGUAGES[locale], reduced_motion="reduce")
    measurements.prepare(page)
    paths = [*PUBLIC_PATHS.split(), *content.status_paths]
    if is_member:
        sign_in(page, web, content.uid, site)
        paths += [*MEMBER_PATHS.split(), *content.member_paths]
    faults: list[measurements.Fault] = []
    visited: set[str] = set()
    for path in paths if only is None else sorted(only):
        response = page.goto(path)
        assert response and response.ok == (path != "/nowhere"), path
        if page.url in visited:  # pages for visitors redirect members to their home
            continue
        visited.add(page.url)
        faults += measurements.movements(page, path)
        faults += measurements.layout_faults(page, path, width)
    for shown in refused_forms(page, is_member) if only is None else ():
        faults += measurements.layout_faults(page, shown, width)
    if is_member:
        for shown in opened_parts(page, web):
            faults += measurements.layout_faults(page, shown, width)
    assert faults == []


def test_the_measurements_find_faults(open_page: OpenPage, content: LongContent) -> None:
    page = open_page()
    page.add_init_script(measurements.OBSERVE_SHIFTS)
    page.goto("/public")
    assert page.evaluate(measurements.MOVING_ELEMENTS) != []
    page.evaluate("document.querySelector('main').style.paddingTop = '200px'")
    assert page.evaluate(measurements.TOTAL_SHIFT) > 0
    page.evaluate("document.querySelector('main').style.width = '200vw'")
    assert measurements.overflows(page)
    assert page.evaluate(measurements.WIDER_ELEMENTS)


@pytest.mark.long
def test_printed_pages_have_dark_text_and_no_controls(
    open_page: OpenPage, web: Web, site: str, content: LongContent
) -> None:
    page = open_page(color_scheme="dark")
    sign_in(page, web, content.uid, site)
    page.goto("/home")
    page.get_by_role("button", name="Dark").click()
    page.emulate_media(media="print")
    members = ("/home", "/@ann", f"/@{LOGIN}", f"/@{LOGIN}/followers", "/public")
    statuses = [path for path in content.status_paths if "/@ann/" in path]
    lists = ("/@ann/followers", "/@ann/following", "/@ann/lists/add")
    for path in (*members, *lists, *statuses, "/bookmarks", "/notifications"):
        page.goto(path)
        for control in CONTROLS:
            assert page.locator(f"{control}:visible").count() == 0, (path, control)
        assert page.locator("h1:visible").count() == 1
        assert page.evaluate(HEADING_COLOUR) == "rgb(26, 32, 31)"
    page.goto("/public")
    # Those behind a warning too.
    texts = page.locator(".status-body")
    assert page.locator(".status-body:visible").count() == texts.count() >= 12


def test_what_is_chosen_is_outlined_in_forced_colours(open_page: OpenPage) -> None:
    page = sign_up(open_page(forced_colors="active"), "ann", "/leaderboards")
    for row in (".tabs a", ".chips a"):
        chosen = page.locator(f"{row}[aria-current]").first
        expect(chosen).to_have_css("outline-style", "solid")
        expect(page.locator(f"{row}:not([aria-current])").first).to_have_css(
            "outline-style", "none"
        )
