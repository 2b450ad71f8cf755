"""A demo community in a browser: no page is empty, for a visitor and for the featured member."""

from collections import Counter

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import OpenPage, sign_in
from tests.support.demo import silent
from tests.support.world import Web
from webapp.core.text.parser import parse, tag_names
from webapp.demo.acts.act import Post
from webapp.demo.community import Plan
from webapp.demo.fill import Filled, fill
from webapp.demo.walk.walk import run_walk
from webapp.demo.walk.walk_members import choose_members

NOW = 1_793_491_200_000  # unix ms
PLAN = Plan("3", NOW, members=40, statuses=300, days=30)
EXPLORE = "/explore?lang=all /explore /explore/tags /explore/links"
PEOPLE = "/explore/people /explore/groups"
OWN_PAGES = """
    /home /notifications /notifications/mentions /notifications/likes /notifications/boosts
    /notifications/follows /chats /chats/requests /lists /bookmarks /drafts /scheduled
    /settings/tags /settings/mutes /settings/blocks /settings/filters
""".split()


@pytest.fixture
def filled(web: Web) -> Filled:
    """Fill the store of the site, and run the walk."""
    filled = fill(web, PLAN, False, silent)
    run_walk(web, choose_members(filled.community, filled.first_uid), silent)
    return filled


@pytest.mark.long
@pytest.mark.parametrize("width", [390, 1280])
def test_no_page_of_a_demo_is_empty(open_page: OpenPage, filled: Filled, width: int) -> None:
    options = {"viewport": {"width": width, "height": 844}}
    visitor, member = open_page(**options), open_page(**options)
    featured = filled.featured
    profile = f"/@{featured.login}"
    shared = [
        profile,
        *(f"{profile}/{part}" for part in "replies media likes followers following lists".split()),
    ]
    posts = filled.community.posts
    answered = Counter(post.reply_to for post in posts if post.reply_to is not None)
    (busiest, _), *_ = answered.most_common(1)
    poll = next(number for number, post in enumerate(posts) if post.poll)
    quoted = next(post.quote for post in posts if post.quote is not None)
    shared += [path_of(filled, busiest), path_of(filled, poll), f"{path_of(filled, quoted)}/quotes"]
    shared += [f"/tags/{busiest_tag(posts)}", "/public", *EXPLORE.split(), *PEOPLE.split()]
    look_at(visitor, shared)
    sign_in(member, featured.login, featured.password)
    look_at(member, [*shared, *OWN_PAGES])
    member.goto("/chats")
    chats = member.get_by_role("main").locator("a[href^='/chats/']")
    paths = {str(link.get_attribute("href")) for link in chats.all()}
    look_at(member, sorted(path for path in paths if path.rpartition("/")[2][:1].isdigit()))
    member.goto("/lists")
    link = member.get_by_role("main").locator(f"a[href^='{profile}/lists/']").first
    look_at(member, [str(link.get_attribute("href"))])


def look_at(page: Page, paths: list[str]) -> None:
    """Open pages, each of which must have something to show."""
    assert paths
    for path in paths:
        response = page.goto(path)
        assert response and response.status == 200, path
        expect(page.locator("main .empty"), path).to_have_count(0)
        assert page.get_by_role("main").inner_text().count("\n") > 3, path


def path_of(filled: Filled, number: int) -> str:
    """Return the path of a post of the plan."""
    author = filled.community.people[filled.community.posts[number].author]
    return f"/@{author.login}/{filled.world.posts[number]}"


def busiest_tag(posts: list[Post]) -> str:
    """Return the hashtag with the most posts."""
    names = Counter(name for post in posts for name in tag_names(parse(post.text).entities))
    return names.most_common(1)[0][0]
