"""Test groups in a browser: with and without scripts, narrow and wide."""

import pytest
from playwright.sync_api import Page, expect

from tests.community.groups import reading
from tests.conftest import long
from tests.e2e.conftest import OpenPage, sign_in, sign_up, start_session
from tests.support.world import Web
from webapp.community.groups import store
from webapp.community.groups.models import Voting
from webapp.statuses.visibility.groups import GroupKind

QUOTES, LINKS = "/@ann/{}/quotes", ".status-links"


@pytest.mark.parametrize(
    ("scripts", "width"), [(True, 390), long(False, 1280)], ids=["with scripts", "without scripts"]
)
def test_a_closed_group_is_made_joined_read_and_voted_in(
    open_page: OpenPage, scripts: bool, width: int
) -> None:
    ann, ben = open_page(scripts, width), open_page(scripts, width)
    start_session(ann, "ann")
    start_session(ben, "ben")
    ann.goto("/groups")
    ann.get_by_role("link", name="New group").first.click()
    ann.get_by_label("Name", exact=True).fill("Nest wardens")
    ann.get_by_label("Address").fill("nests")
    ann.get_by_label("Closed:").check()
    ann.get_by_label("up or down").check()
    ann.get_by_role("button", name="Create group").click()
    ann.get_by_label("What’s happening?").fill("Pair 12 sits again")
    ann.get_by_role("main").get_by_role("button", name="Post", exact=True).click()
    expect(ann.locator(".status-body")).to_have_text(["Pair 12 sits again"])
    ben.goto("/groups/nests")
    expect(ben.get_by_text("Only members see the posts of this group.")).to_be_visible()
    ben.get_by_role("button", name="Ask to join").click()
    expect(ben.get_by_role("button", name="Cancel request")).to_be_visible()
    ann.goto("/groups/nests/requests")
    ann.get_by_role("button", name="Accept the request from @ben").click()
    expect(ann.get_by_text("No one is waiting.")).to_be_visible()
    ben.goto("/groups/nests")
    expect(ben.locator(".status-body")).to_have_text(["Pair 12 sits again"])
    votes, up = ben.locator(".group-votes b"), ben.get_by_role("button", name="Vote up")
    expect(votes).to_have_text("1")
    for count, pressed in (("2", "true"), ("1", "false")):
        up.press("Enter")
        expect(votes).to_have_text(count)
        expect(up).to_have_attribute("aria-pressed", pressed)
        if scripts:
            expect(up).to_be_focused()
    ben.get_by_role("button", name="Vote down").click()
    expect(votes).to_have_text("0")
    ann.goto("/groups/nests/settings")
    ann.get_by_role("button", name="Start a chat").click()
    expect(ann.get_by_text("The group has a chat now.")).to_be_visible()
    ben.goto("/groups/nests")
    ben.get_by_role("button", name="Open the group’s chat").press("Enter")
    expect(ben.get_by_role("heading", level=1)).to_have_text("Nest wardens")


def make_group(page: Page, name: str, slug: str) -> None:
    """Make an open group with its form."""
    page.goto("/groups/new")
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Address").fill(slug)
    page.get_by_role("button", name="Create group").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)


@pytest.mark.long
@pytest.mark.parametrize(
    ("scripts", "width"), [(True, 1280), long(False, 390)], ids=["with scripts", "without scripts"]
)
def test_an_invited_member_accepts_and_reads_a_post_in_two_groups(
    open_page: OpenPage, scripts: bool, width: int
) -> None:
    ann, ben = open_page(scripts, width), open_page(scripts, width)
    sign_up(ann, "ann")
    start_session(ben, "ben")
    make_group(ann, "Marsh watchers", "marsh")
    make_group(ann, "Sunday walks", "walks")
    ann.goto("/groups/marsh/invitations")
    ann.get_by_label("Find people").fill("ben")
    if not scripts:
        ann.get_by_role("button", name="Find").click()
    ann.get_by_role("checkbox", name="@ben").check()
    ann.get_by_role("button", name="Invite", exact=True).click()
    expect(ann.get_by_text("1 person was invited.")).to_be_visible()
    ben.goto("/notifications")
    ben.get_by_role("link", name="Marsh watchers").click()
    ben.get_by_role("button", name="Accept the invitation to Marsh watchers").press("Enter")
    expect(ben.get_by_label("What’s happening?")).to_be_visible()
    ann.goto("/home")
    ann.get_by_label("What’s happening?").fill("Boots, at eight")
    ann.locator("main .composer-audience > summary").click()
    ann.locator("main").get_by_role("button", name="Post to a group").click()
    for name in ("Marsh watchers", "Sunday walks"):
        ann.get_by_role("checkbox", name=name).check()
    ann.get_by_role("main").get_by_role("button", name="Post", exact=True).click()
    expect(ann.locator(".status-group a")).to_have_text(["Marsh watchers", "Sunday walks"])
    for slug in ("marsh", "walks"):
        ben.goto(f"/groups/{slug}")
        expect(ben.locator(".status-body")).to_have_text(["Boots, at eight"])


def test_a_refused_vote_shows_why(open_page: OpenPage, expected_errors: list[str]) -> None:
    ann, ben = open_page(), open_page()
    start_session(ann, "ann")
    start_session(ben, "ben")
    make_group(ann, "Marsh watchers", "marsh")
    ann.goto("/groups/marsh/settings")
    ann.get_by_label("up or down").check()
    ann.get_by_role("button", name="Save").click()
    ann.get_by_label("What’s happening?").fill("A bittern")
    ann.get_by_role("main").get_by_role("button", name="Post", exact=True).click()
    expect(ann.locator(".status-body")).to_have_text(["A bittern"])
    ben.goto("/groups/marsh")
    ben.get_by_role("button", name="Join", exact=True).click()
    down = ben.get_by_role("button", name="Vote down")
    expect(down).to_be_visible()
    ann.goto("/groups/marsh/settings")
    ann.get_by_label("No votes").check()
    ann.get_by_role("button", name="Save").click()
    expect(ann.get_by_text("Group saved.")).to_be_visible()
    expected_errors.append("409")
    down.click()
    expect(ben.get_by_text("This group doesn’t have such votes.")).to_be_visible()


def test_older_posts_of_a_group_and_older_quotes_come_with_their_buttons(
    open_page: OpenPage, web: Web
) -> None:
    count = web.config.page_size + 1
    ann, ben = web.people("ann", "ben")
    gid = store.create(web, ann, "birders", "Birders", "", GroupKind.OPEN, Voting.BOTH)
    quoted = web.post(ann, "quote me")
    for number in range(count):
        reading.post(web, ann, gid, f"post {number}")
        web.post(ben, f"quote {number}", quote=quoted)
    web.apply_events()
    page = open_page()
    sign_in(page, "ann")
    for path, buttons in (("/groups/birders", ".group-bar"), (QUOTES.format(quoted), LINKS)):
        page.goto(path)
        page.mouse.wheel(0, 20_000)
        for part in (".status", buttons):
            expect(page.locator(part)).to_have_count(count)
