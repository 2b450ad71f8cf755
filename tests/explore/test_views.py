"""The pages of Explore: hot posts, trends, open groups, and hiding a trend."""

import re

import pytest
from flask.testing import FlaskClient

from tests.support import worker
from tests.support.statuses.filters import FORM
from tests.support.trends import share, share_all
from tests.support.world import Web
from webapp.accounts import registration
from webapp.accounts.store import uid_by_login
from webapp.chat.members import group_chats, membership
from webapp.config import Config
from webapp.core.store import Db, Site
from webapp.explore import open_group_chats
from webapp.timelines.trends import counting, hidden

PAGES_WITH_RAIL = ("/explore", "/explore/people", "/explore/groups", "/public", "/explore?lang=all")
PAGES = ("/explore", "/explore/tags", "/explore/links", "/explore/groups")


@pytest.fixture
def store(web: Web) -> Db:
    return web.db


@pytest.fixture
def uids(store: Db, settings: Config) -> list[int]:
    logins = ("wren", "finch", "robin", "heron", "dunlin", "knot")
    return [
        registration.sign_up(Site(store, settings), login, login.title(), "correct horse").uid
        for login in logins
    ]


def items(page: str) -> list[str]:
    """Return the trends on a page, in order."""
    return re.findall(r'class="trend-title"[^>]*>(?:<bdi>)?([^<]+)', page.replace("<wbr>", ""))


def rail(page: str) -> list[str]:
    """Return the hashtags in the rail of a page."""
    part = page.partition('class="rail-trends"')[2].partition("</section>")[0]
    return re.findall(r"<bdi>(#[^<]+)", part)


def make_trends(site: Site, uids: list[int]) -> None:
    share_all(site, uids, "What a lovely morning it was today #dawn https://birds.press/dawn")
    share_all(site, uids[:5], "今天早上的鸟鸣真好听，我们都很喜欢 #晨鸟")
    worker.drain(site)
    counting.rank_now(site)


def test_a_new_site_has_no_empty_page(ann: FlaskClient, web: Web) -> None:
    for path in PAGES:
        for reader in (web.client, ann):
            page = reader.get(path)
            assert page.status_code == 200 and 'class="empty"' in page.text, path
    ann.post("/statuses", data={"text": "the first one", "key": "1" * 32})
    for reader in (web.client, ann):
        page = reader.get("/explore").text
        assert "the first one" in page
    assert "Trending today" not in ann.get("/home").text


def test_trends_show_their_people_their_day_and_the_readers_language_first(
    web: Web, uids: list[int]
) -> None:
    make_trends(web, uids)
    page = web.client.get("/explore/tags").text
    assert items(page) == ["#dawn", "#晨鸟"]
    assert "6 people in the past day" in page
    assert 'aria-label="People every three hours of the past day: 0, 0, ' in page
    assert re.search(r'<polyline points="2\.0,26\.0 [\d., ]+ 82\.0,2\.0"/>', page)
    chinese = web.client.get("/explore/tags", headers={"Accept-Language": "zh"}).text
    assert items(chinese) == ["#晨鸟", "#dawn"] and "过去一天" in chinese
    links = web.client.get("/explore/links").text
    assert items(links) == ["birds.press/dawn"]
    assert 'href="https://birds.press/dawn" rel="nofollow noopener ugc"' in links
    assert "/explore/hide" not in page + links


def test_a_hashtag_that_trends_shows_two_of_its_posts_that_the_reader_may_see(
    web: Web, uids: list[int]
) -> None:
    make_trends(web, uids)
    behind_warning = share(web, uids[0], "an egg #dawn", cw="eggs")
    web.apply_events()
    web.like(uids[1], behind_warning)
    ann = web.member("ann")
    for author in ("knot", "dunlin"):
        ann.post(f"/@{author}/mute", data={"duration": "0"})

    def authors(reader: FlaskClient) -> list[str]:
        page = reader.get("/explore/tags").text.partition('class="trend-posts"')[2]
        return re.findall(r'class="post-card" href="/@(\w+)/', page.partition("</li>")[0])

    assert authors(web.client) == ["knot", "dunlin"] and authors(ann) == ["heron", "robin"]
    web.suspend(uids[5])
    web.apply_events()
    assert authors(web.client) == ["dunlin", "heron"], "a cached page is dropped"
    ann.post("/settings/filters", data={**FORM, "words": "morning"})
    assert "#晨鸟</bdi>" in ann.get("/explore/tags").text
    assert "lovely morning" not in ann.get("/explore/tags").text


def test_the_rail_shows_trends_where_it_had_only_tips(web: Web, uids: list[int]) -> None:
    make_trends(web, uids)
    ann = web.member("ann")
    for path in ("/home", "/public", "/notifications", "/explore", "/statuses/new"):
        assert rail(ann.get(path).text) == ["#dawn", "#晨鸟"], path
    for path in ("/public", "/explore?lang=all", "/explore"):
        assert rail(web.client.get(path).text) == ["#dawn", "#晨鸟"], path


def test_a_member_hides_a_trend_for_themselves_and_shows_it_again(
    web: Web, uids: list[int]
) -> None:
    make_trends(web, uids)
    ann, ben = web.member("ann"), web.member("ben")
    response = ann.post("/explore/hide", data={"item": "#Dawn", "next": "/explore/tags"})
    assert (response.status_code, response.location) == (303, "/explore/tags")
    page = ann.get("/explore/tags").text
    assert items(page) == ["#晨鸟"] and "Hidden." in page
    assert rail(ann.get("/home").text) == ["#晨鸟"]
    assert items(ben.get("/explore/tags").text) == items(web.client.get("/explore/tags").text)
    assert "#dawn" in ann.get("/explore/hidden").text
    assert ann.post("/explore/unhide", data={"item": "#dawn"}).location == "/explore/hidden"
    assert "No hidden trends" in ann.get("/explore/hidden").text
    assert items(ann.get("/explore/tags").text) == ["#dawn", "#晨鸟"]


@pytest.mark.parametrize(
    "item",
    [
        *("", "#", "dawn", "#a b", "javascript:alert(1)", "https://", "x" * 900, "#\x00", "# "),
        *("https://[", "https://birds.press/\x00", "https://ann@birds.press/"),
    ],
)
def test_an_item_that_is_none_is_refused(web: Web, item: str) -> None:
    response = web.member("ann").post("/explore/hide", data={"item": item})
    assert response.status_code == 422 and "isn’t a hashtag or a link" in response.text


def test_a_suspended_member_hides_nothing(web: Web, store: Db) -> None:
    ann = web.member("ann")
    web.suspend(store.read(uid_by_login("ann")))
    assert ann.post("/explore/hide", data={"item": "#dawn"}).status_code in (303, 403)
    assert store.read(hidden.hidden_by(store.read(uid_by_login("ann")))) == ()


def test_what_the_operator_hides_leaves_every_page(web: Web, store: Db, uids: list[int]) -> None:
    make_trends(web, uids)
    assert items(web.client.get("/explore/tags").text) == ["#dawn", "#晨鸟"]
    assert items(web.client.get("/explore/links").text) == ["birds.press/dawn"]
    for path in PAGES_WITH_RAIL:
        page = web.client.get(path)
        assert rail(page.text) == ["#dawn", "#晨鸟"] and "ETag" in page.headers, path
    hidden.suppress(store, "#dawn")
    hidden.suppress(store, "https://birds.press/dawn")
    for reader in (web.client, web.member("ann")):
        assert items(reader.get("/explore/tags").text) == ["#晨鸟"]
        assert items(reader.get("/explore/links").text) == []
        for path in PAGES_WITH_RAIL:
            assert rail(reader.get(path).text) == ["#晨鸟"], path
    hidden.unsuppress(store, "#dawn")
    assert rail(web.client.get("/public").text) == ["#dawn", "#晨鸟"]


def test_hot_posts_in_the_readers_language_come_first(web: Web, uids: list[int]) -> None:
    english = share_all(web, uids[:5], "The dawn chorus was lovely this morning")
    chinese = share_all(web, uids, "今天早上的鸟鸣真好听，我们都很喜欢")
    web.like(uids[0], english[1])
    web.apply_events()

    def shown(path: str, lang: str) -> list[int]:
        page = web.client.get(path, headers={"Accept-Language": lang}).text
        return [int(one) for one in re.findall(r'id="status-(\d+)" data-author', page)]

    assert shown("/explore", "en")[0] == english[1]
    assert set(shown("/explore", "en")) == set(english)
    assert set(shown("/explore", "zh")) == set(chinese)
    for former, path in (
        ("/explore/all", "/explore?lang=all"),
        ("/public/hot", "/explore?lang=all"),
        ("/public/hot?lang=zh&max_id=7", "/explore?lang=zh&max_id=7"),
    ):
        moved = web.client.get(former)
        assert (moved.status_code, moved.location) == (301, path)
    assert set(shown("/explore?lang=all", "en")) == {*english, *chinese}
    assert len(shown("/explore?max_id=1", "en")) == 0


def test_muted_and_blocked_authors_are_left_out(web: Web, store: Db, uids: list[int]) -> None:
    share_all(web, uids, "The dawn chorus was lovely this morning")
    web.apply_events()
    ann = web.member("ann")
    uid = store.read(uid_by_login("ann"))
    web.mute(uid, "wren", 3_600)
    web.block(uid, "finch")
    page = ann.get("/explore").text
    assert "@robin" in page and "@wren" not in page and "@finch" not in page


def test_only_open_groups_of_several_members_show(web: Web, uids: list[int]) -> None:
    cids = {}
    for number, (kind, others) in enumerate(
        [("open", 2), ("open", 4), ("private", 5), ("announcement", 5), ("open", 0)]
    ):
        name = f"{kind} of {others}"
        cids[name] = group_chats.create(
            *(
                web,
                uids[0],
                kind,
                name,
                uids[1 : 1 + others],
                None,
                f"g{number}",
            )
        )
    web.apply_events()
    open_group_chats.rank(web)
    pattern = r'class="byline-name" dir="auto">([a-z]+ of \d)'
    for reader in (web.client, web.member("ann")):
        page = reader.get("/explore/groups").text
        assert re.findall(pattern, page) == ["open of 4", "open of 2"]
        assert "5 members" in page and "3 members" in page
    group_chats.change(web, uids[0], cids["open of 4"], kind="private")
    assert re.findall(pattern, web.member("ben").get("/explore/groups").text) == ["open of 2"]
    web.apply_events()
    assert re.findall(pattern, web.client.get("/explore/groups").text) == ["open of 2"]
    for uid in uids[1:3]:
        membership.leave(web, uid, cids["open of 2"])
    web.apply_events()
    assert 'class="empty"' in web.client.get("/explore/groups").text


def test_a_group_is_found_by_parts_of_its_name(web: Web, uids: list[int]) -> None:
    for kind, name in (
        ("open", "Early BIRDS"),
        ("open", "早鸟 and bread"),
        ("private", "My birds"),
    ):
        group_chats.create(web, uids[0], kind, name, uids[1:3], None, name)
    web.apply_events()
    open_group_chats.rank(web)
    for reader in (web.client, web.member("ann")):
        for query, names in (
            ("birds", ["Early BIRDS"]),
            ("BIRD early", ["Early BIRDS"]),
            ("早鸟", ["早鸟 and bread"]),
            ("robin", []),
            ("%2A", []),
            ("%00", []),
            ("x" * 900, []),
        ):
            page = reader.get(f"/explore/groups?q={query}").text
            found = page.partition('class="explore-groups"')[2].partition("</ul>")[0]
            assert re.findall(r'class="byline-name" dir="auto">([^<]+)', found) == names, query
            assert ("No group chat has this name" in page) == (not names), query


def test_groups_leave_while_all_their_owners_are_suspended(
    web: Web, store: Db, uids: list[int]
) -> None:
    wren, finch, robin, *_ = uids
    _, shared = (
        group_chats.create(web, wren, "open", name, [finch, robin], None, name)
        for name in ("alone", "shared")
    )
    membership.promote(store, wren, shared, robin)
    web.apply_events()
    open_group_chats.rank(web)
    ann = web.member("ann")

    def shown() -> list[set[str]]:
        pages = [reader.get("/explore/groups").text for reader in (web.client, ann)]
        pattern = r'class="byline-name" dir="auto">(alone|shared)'
        return [set(re.findall(pattern, page)) for page in pages]

    assert shown() == [{"alone", "shared"}] * 2
    web.suspend(wren)
    web.apply_events()
    assert shown() == [{"shared"}] * 2, "before anything is ranked again"
    web.suspend(robin)
    web.apply_events()
    assert shown() == [set()] * 2
    open_group_chats.rank(web)
    assert store.read(open_group_chats.ranked_ids()) == [], "they take no place of others"
    web.suspend(robin, False)
    web.apply_events()
    open_group_chats.rank(web)
    assert shown() == [{"shared"}] * 2
    web.suspend(wren, False)
    web.apply_events()
    open_group_chats.rank(web)
    assert shown() == [{"alone", "shared"}] * 2


def test_navigation_leads_to_explore(web: Web) -> None:
    for reader in (web.client, web.member("ann")):
        for path in ("/explore", "/explore/tags", "/public"):
            page = reader.get(path).text
            link = re.search(r'<a[^>]*href="/explore"[^>]*>', page.partition("</nav>")[0])
            assert link and 'aria-current="page"' in link[0], path
        assert 'href="/public"' in reader.get("/explore").text
