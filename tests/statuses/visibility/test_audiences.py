"""Visible statuses on every page, by visibility and by the viewer's relationship to the author.

`audience_table.py` holds all expectations. A new path on which statuses show or are acted on adds a
row; a new kind of relationship adds a column.
"""

import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import unescape

import pytest
from flask.testing import FlaskClient
from werkzeug.datastructures import FileStorage

from tests.statuses.visibility.audience_table import COLUMNS, IN_GROUP, Column
from tests.support import worker
from tests.support.chat import draft, key
from tests.support.statuses.pictures import photo
from tests.support.statuses.relationships import (
    Scene as StreamScene,
    expected_rows,
    rows_on_streams,
    scene as stream_scene,
)
from tests.support.world import OnSite, Web
from webapp.accounts import lifecycle
from webapp.accounts.store import get_many_by_login
from webapp.chat.messages import sending
from webapp.chat.models import Card
from webapp.community.groups import store as groups
from webapp.community.groups.invitations import store as invitations
from webapp.community.groups.models import Voting
from webapp.community.groups.posts import pin_post
from webapp.config import Config
from webapp.core.forms.fields import UploadedPicture
from webapp.core.store import Db, Site
from webapp.core.text.parser import parse
from webapp.explore.suggestions import jobs as suggestions
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.following.mutes import store as mutes
from webapp.lists import store as lists
from webapp.notifications import keys as notification_keys
from webapp.notifications.kinds import KINDS, PROMPT
from webapp.notifications.push import devices
from webapp.notifications.push.content import read_content
from webapp.notifications.push.devices import PushPreferences
from webapp.notifications.push.messages import messages
from webapp.notifications.push.queue import Push
from webapp.reports import store as reports
from webapp.reports.category import Category
from webapp.statuses import Picture, Visibility, keys as status_keys, store as statuses
from webapp.statuses.attachments import staging
from webapp.statuses.edits import pins
from webapp.statuses.interactions import keys as interaction_keys
from webapp.statuses.values.visibility import WIDEST_FIRST
from webapp.statuses.view_counts import keys as view_keys
from webapp.statuses.visibility.groups import GroupKind
from webapp.timelines.tags import store as tags
from webapp.timelines.trends import keys as trend_keys

pytestmark = pytest.mark.slow

__all__ = ["stream_scene"]

COUNTS = {"replies": 71, "boosts": 72, "quotes": 73, "likes": 74}  # stored on each status


@dataclass
class Scene(OnSite):
    """Hold wren's statuses, one of each visibility, and their viewers.

    `songs` holds them by visibility. ibis replied to each, for mentioned members only (`replies`).
    wren also replied to and quoted `ibis_status`, once with each visibility. The statuses of jay
    quote each song, as if that had been possible. finch and ibis have wren on a list.
    """

    db: Db
    config: Config
    uids: dict[str, int]
    viewer: FlaskClient
    visitor: FlaskClient
    author: FlaskClient
    songs: dict[str, int]
    replies: dict[str, int]
    ibis_status: int
    chat: str
    viewer_uid: int
    gid: int  # of wren's closed group, to which ibis belongs
    link: str  # an invitation to it

    def post(
        self,
        login: str,
        text: str,
        visibility: Visibility,
        reply: int | None = None,
        quote: int | None = None,
        pictures: Sequence[Picture] = (),
    ) -> int:
        """Post as a member and return the id."""
        form = f"form-{self.uids[login]}-{text}".replace(" ", "-")
        return statuses.post(
            self.site,
            self.uids[login],
            parse(text),
            form,
            reply=reply,
            visibility=visibility,
            groups=[self.gid] if visibility is Visibility.GROUP else [],
            quote=quote,
            pictures=pictures,
        )


@pytest.fixture
def scene(web: Web, request: pytest.FixtureRequest) -> Scene:
    column: Column = request.param
    clients = {login: web.member(login) for login in ("finch", "wren", "ibis", "jay")}
    members = get_many_by_login(web.db, list(clients))
    uids = {login: found.uid for login, found in members.items()}
    viewer = uids[column.viewer_login]
    chat = "-".join(str(uid) for uid in sorted((viewer, uids["ibis"])))
    visitor = web.app.test_client()
    viewer_client, author = clients[column.viewer_login], clients["wren"]
    gid = groups.create(web, uids["wren"], "wrens", "Wrens", "", GroupKind.CLOSED, Voting.UP)
    link = "/groups/join/" + invitations.make_link(web, uids["wren"], gid, 5, 5)
    clients_of = (viewer_client, visitor, author)
    scene = Scene(web.db, web.config, uids, *clients_of, {}, {}, 0, chat, viewer, gid, link)
    follow_and_list(scene, clients, column)
    write_statuses(scene, viewer, " @finch" if column.named else "")
    for status in scene.songs.values():
        card = Card(status, uids["wren"])
        sending.send(web, uids["ibis"], chat, draft("look", card=card), key())
    change_relationship(scene, column)
    return scene


def follow_and_list(scene: Scene, clients: dict[str, FlaskClient], column: Column) -> None:
    """Make the follows, lists and members that are there before wren writes."""
    site = scene.site
    uids = scene.uids
    for login in ("ibis", "finch") if column.relationship in IN_GROUP else ("ibis",):
        groups.join(site, uids[login], scene.gid)
        groups.answer(site, uids["wren"], scene.gid, uids[login], accept=True)
    following.follow(site, uids["finch"], "ibis")
    following.follow(site, uids["wren"], "ibis")
    if column.follows:
        following.follow(site, uids["finch"], "wren")
    for login in ("finch", "ibis"):
        wrens = lists.create(site, uids[login], "Wrens")
        lists.set_memberships(site, uids[login], "wren", {wrens: True})
    worker.drain(site)
    for login in ("finch", "ibis"):
        clients[login].get(f"/@{login}/lists/1")  # builds the list's timeline


def write_statuses(scene: Scene, viewer: int, mention: str) -> None:
    """Write all statuses of the scene.

    The songs also become bookmarks and notifications of the viewer, who could see them once.
    """
    db, wren = scene.db, scene.uids["wren"]
    scene.ibis_status = scene.post("ibis", "an ibis wades", Visibility.PUBLIC)
    for visibility in Visibility:
        slug = visibility.slug
        file = FileStorage(io.BytesIO(photo()), content_type="image/png")
        upload = UploadedPicture(file, f"a wren draws {slug}")
        pictures = staging.stage(Site(db, scene.config), wren, [upload])
        text = f"a wren sings {slug} #song #{slug}song @ibis{mention}"
        song = scene.post("wren", text, visibility, pictures=pictures)
        scene.songs[slug] = song
        if visibility is not Visibility.GROUP:  # a reply is in a group if its parent is
            scene.post("wren", f"a wren trills {slug}{mention}", visibility, scene.ibis_status)
        scene.post("wren", f"a wren quips {slug}{mention}", visibility, quote=scene.ibis_status)
        quote = scene.post("jay", f"a jay screams {slug}", Visibility.UNLISTED)
        db.run(("HSET", status_keys.status(quote), "quoted_id", song, "quoted_uid", wren))
        text = f"so it does {slug} @finch"
        scene.replies[slug] = scene.post("ibis", text, Visibility.MENTIONED, song)
        score = len(scene.songs)
        db.run(("ZADD", interaction_keys.bookmarks(viewer), score, song))
        db.run(("ZADD", interaction_keys.member_likes(scene.uids["jay"]), score, song))
        notification = f"mention:{wren}:{song}"
        db.run(("ZADD", notification_keys.notifications(viewer), score, notification))
    worker.drain(scene.site)
    grouped = scene.songs[Visibility.GROUP.slug]
    pin_post(scene.site, wren, scene.gid, grouped, is_pinned=True)
    reports.report_status(scene.site, scene.uids["ibis"], grouped, "hm", Category.OTHER)


def change_relationship(scene: Scene, column: Column) -> None:
    """Change the relationship after wren has written. Only a block by wren is applied."""
    site = scene.site
    finch, wren = scene.uids["finch"], scene.uids["wren"]
    match column.relationship:
        case "listed":
            finches = lists.create(site, wren, "Finches")
            lists.set_memberships(site, wren, "finch", {finches: True})
        case "invited":
            invitations.invite(site, wren, scene.gid, ["finch"])
        case "removed":
            groups.remove(site, wren, scene.gid, finch, "remove")
        case "admin":
            lifecycle.grant(site.db, finch, "admin")
        case "unfollowed":
            following.unfollow(site, finch, "wren")
        case "muted":
            mutes.mute(site, finch, "wren", 3_600)
        case "blocking":
            blocks.block(site, finch, "wren")
        case "blocked":
            blocks.block(site, wren, "finch")
            worker.drain(site)
    if column.protected:
        scene.visitor.get("/@wren")  # puts the page into the page cache
        lifecycle.protect(site, wren)


def slugs_after(client: FlaskClient, path: str, words: str) -> set[str]:
    """Return the visibilities of wren's statuses on a page that begin with these words."""
    return set(re.findall(rf"{words} (\w+)", client.get(path).text))


def on_pages(scene: Scene) -> dict[str, set[str]]:
    """Return which of wren's statuses the viewer's pages show, by row."""
    thread = f"/@ibis/{scene.ibis_status}"
    pages = {
        "home": ("/home", "sings"),
        "public": ("/public", "sings"),
        "hot": ("/explore?lang=all", "sings"),
        "explore": ("/explore", "sings"),
        "profile": ("/@wren", "sings"),
        "tag": ("/tags/song", "sings"),
        "hot tag": ("/tags/song/hot", "sings"),
        "bookmarks": ("/bookmarks", "sings"),
        "own list": ("/@finch/lists/1", "sings"),
        "other's list": ("/@ibis/lists/1", "sings"),
        "notifications": ("/notifications", "sings"),
        "chat card": (f"/chats/{scene.chat}", "sings"),
        "replies at home": ("/home", "trills"),
        "profile replies": ("/@wren/replies", "trills"),
        "media tab": ("/@wren/media", "draws"),
        "likes tab": ("/@jay/likes", "sings"),
        "search": ("/search?q=sings", "sings"),
        "search top": ("/search?q=sings&tab=top", "sings"),
        "search own": ("/search?q=sings&tab=own", "sings"),
        "thread below": (thread, "trills"),
        "quote card": ("/@jay", "sings"),
        "in quotes": (f"{thread}/quotes", "quips"),
        "group pins": ("/groups/wrens", "sings"),
        "group link": (scene.link, "sings"),
        "group reports": ("/groups/wrens/reports", "sings"),
    }
    return shown_on(scene.viewer, pages)


def on_visitors_pages(scene: Scene) -> dict[str, set[str]]:
    """Return which of wren's statuses pages and feeds show visitors, by row."""
    thread = f"/@ibis/{scene.ibis_status}"
    pages = {
        "feed": ("/@wren/feed.atom", "sings"),
        "public feed": ("/public.atom", "sings"),
        "tag feed": ("/tags/song.atom", "sings"),
        "visitor front": ("/", "sings"),
        "visitor public": ("/public", "sings"),
        "visitor hot": ("/explore?lang=all", "sings"),
        "visitor explore": ("/explore", "sings"),
        "visitor profile": ("/@wren", "sings"),
        "visitor tag": ("/tags/song", "sings"),
        "visitor hot tag": ("/tags/song/hot", "sings"),
        "visitor list": ("/@ibis/lists/1", "sings"),
        "visitor replies": ("/@wren/replies", "trills"),
        "visitor media": ("/@wren/media", "draws"),
        "visitor likes": ("/@jay/likes", "sings"),
        "visitor search": ("/search?q=sings", "sings"),
        "search feed": ("/search.atom?q=sings", "sings"),
        "visitor thread": (thread, "trills"),
        "visitor card": ("/@jay", "sings"),
        "visitor in quotes": (f"{thread}/quotes", "quips"),
        "visitor group": ("/groups/wrens", "sings"),
    }
    return shown_on(scene.visitor, pages)


def shown_on(client: FlaskClient, pages: Mapping[str, tuple[str, str]]) -> dict[str, set[str]]:
    """Return which of wren's statuses pages show, by row. `pages`: their paths, and a verb."""
    return {row: slugs_after(client, path, f"a wren {verb}") for row, (path, verb) in pages.items()}


def on_devices(scene: Scene, viewer: int) -> set[str]:
    """Return which songs the messages to the viewer's devices quote, if they show content."""
    db, unread = scene.db, notification_keys.unread_notifications(viewer)
    db.run(("SADD", unread, *db.run(("ZRANGE", notification_keys.notifications(viewer), 0, -1))))
    devices.set_preferences(db, viewer, {}, PushPreferences(frozenset(KINDS), True))
    push = Push(viewer, "", PROMPT, "", "", "https://linnet.example", "en", 0, 0)
    content = read_content(db, push)
    payloads = b"".join(
        message.payload
        for group in content.groups
        for message in messages(replace(content, groups=(group,)), PROMPT, "en", "Linnet")
    )
    return set(re.findall(r"a wren sings (\w+)", payloads.decode()))


def one_by_one(scene: Scene, with_visitors: bool) -> dict[str, set[str]]:
    """Return which songs the viewer, and visitors, can open or act on, by row."""
    worker.drain(scene.site)  # as the first form that is sent would do
    found: dict[str, set[str]] = {}
    uses = scene.db.run(("ZRANGE", trend_keys.trend_uses("#song"), 0, -1))
    counted = {int(use.partition(":")[0]) for use in uses}
    for slug, status in scene.songs.items():
        checks = leads_to(scene, slug) | counts_shown(scene, slug) | can_read(scene, slug)
        checks |= visitors_can_read(scene, slug) if with_visitors else {}
        scene.db.run(("HDEL", status_keys.status(status), *COUNTS))
        checks |= can_act(scene, slug)
        checks["counts in trends"] = status in counted
        for row, passed in checks.items():
            found.setdefault(row, set()).update({slug} if passed else ())
    return found


def leads_to(scene: Scene, slug: str) -> dict[str, bool]:
    """Check where a song's own hashtag leads the viewer."""
    db, viewer, name = scene.db, scene.viewer_uid, f"{slug}song"
    completed = scene.viewer.get(f"/autocomplete/tags?q={name}").text
    tags.follow(Site(db, scene.config), viewer, name)
    suggested = [one for one in suggestions.choose(db, viewer) if one.tag == name]
    tags.unfollow(Site(db, scene.config), viewer, name)
    assert {one.uid for one in suggested} <= {scene.uids["wren"]}
    return {"tag completion": f"#{name}" in completed, "suggested by tag": bool(suggested)}


def counts_shown(scene: Scene, slug: str) -> dict[str, bool]:
    """Check which stored counts of a song pages show. Adds a poll to it for later checks."""
    status = scene.songs[slug]
    poll = '[["Trill","Chirp"],60,0]'
    fields = [field for pair in COUNTS.items() for field in pair]
    scene.db.run(("HSET", status_keys.status(status), "poll", poll, *fields))
    unlike = scene.viewer.post(f"/statuses/{status}/unlike", headers={"Accept": "application/json"})
    html = scene.viewer.get(f"/statuses?ids={status}").text
    buttons = dict(re.findall(r'action-(\w+)".*?</svg> <b>(\d+)<', html))
    return {
        "like count": unlike.get_json()["count"] == "74",
        "reply count": buttons.get("reply") == "71",
        "boost count": buttons.get("boost") == "72",
        "quote count": buttons.get("quote") == "73",
    }


def has_text(client: FlaskClient, path: str, text: str) -> bool:
    """Check that a page has a text."""
    return text in client.get(path).text


def opens(client: FlaskClient, path: str) -> bool:
    """Check that a client gets a page."""
    return client.get(path).status_code == 200


def can_read(scene: Scene, slug: str) -> dict[str, bool]:
    """Check on which of its own pages a song can be read, and who is told how many saw it."""
    status, viewer = scene.songs[slug], scene.viewer
    text, permalink = f"a wren sings {slug}", f"/@wren/{status}"
    views = view_keys.views(status)
    scene.db.trip(("PFADD", views, "somebody"), ("EXPIRE", views, 60))
    page, by_ids = viewer.get(permalink).text, shown_by_id(scene, viewer, status)
    return {
        "permalink": text in page,
        "view count": "status-views" in page,
        "thread above": has_text(viewer, f"/@ibis/{scene.replies[slug]}", text),
        "by ids": text in by_ids[viewer],
        "history": has_text(viewer, f"{permalink}/history", text),
        "menu": opens(viewer, f"{permalink}/menu"),
        "likers": opens(viewer, f"{permalink}/likes"),
        "boosters": opens(viewer, f"{permalink}/boosts"),
        "quotes": opens(viewer, f"{permalink}/quotes"),
        "picture": opens_picture(scene, viewer, status, by_ids),
    }


def visitors_can_read(scene: Scene, slug: str) -> dict[str, bool]:
    """Check the same for visitors, and what other sites show of a song to the viewer."""
    status, viewer, visitor = scene.songs[slug], scene.viewer, scene.visitor
    text, permalink = f"a wren sings {slug}", f"/@wren/{status}"
    page, by_ids = visitor.get(permalink).text, shown_by_id(scene, visitor, status)
    counts = [f"</svg> <b>{COUNTS[name]}<" for name in ("replies", "boosts", "likes")]
    assert "status-views" not in page
    return {
        "site map": has_text(viewer, "/sitemap-posts-1.xml", permalink),
        "visitor picture": opens_picture(scene, visitor, status, by_ids),
        "link picture": has_link_picture(scene, slug),
        "embedded post": has_text(viewer, f"{permalink}/embed", text),
        "oembed": opens(viewer, f"/oembed?url=http://localhost{permalink}"),
        "visitor permalink": text in page,
        "visitor by ids": text in by_ids[visitor],
        "visitor counts": all(count in by_ids[visitor] for count in counts),
        "visitor history": has_text(visitor, f"{permalink}/history", text),
        "visitor menu": opens(visitor, f"{permalink}/menu"),
        "visitor likers": opens(visitor, f"{permalink}/likes"),
        "visitor boosters": opens(visitor, f"{permalink}/boosts"),
        "visitor quotes": opens(visitor, f"{permalink}/quotes"),
    }


def shown_by_id(scene: Scene, client: FlaskClient, status: int) -> dict[FlaskClient, str]:
    """Return a song as a client and its author get it."""
    path = f"/statuses?ids={status}"
    return {one: unescape(one.get(path).text) for one in (client, scene.author)}


def opens_picture(
    scene: Scene, client: FlaskClient, status: int, pages: Mapping[FlaskClient, str]
) -> bool:
    """Check that a client gets a song's picture, a restricted one at its page's address only.

    `pages`: the song as each client gets it.
    """
    song = statuses.get(scene.db, status, scene.uids["wren"])
    path = f"/media/{song.pictures[0].name}-640.webp"

    def addresses_for(reader: FlaskClient) -> list[str]:
        return re.findall(rf'src="({re.escape(path)}[^"]*)"', pages[reader])

    own, others = addresses_for(client), {path, *addresses_for(scene.author)}
    assert [client.get(address).status_code for address in own] == [200] * len(own)
    if song.visibility.restricted:
        assert {client.get(other).status_code for other in others - set(own)} == {404}
    else:
        assert others == {path} and client.get(path).status_code == 200
    return bool(own)


def has_link_picture(scene: Scene, slug: str) -> bool:
    """Take a song its pictures away. Check that one is drawn, the same for everybody."""
    status = scene.songs[slug]
    scene.db.run(("HDEL", status_keys.status(status), "media"))
    clients = (scene.viewer, scene.visitor, scene.author)
    path = f"/@wren/{status}/card.png"
    found = {client.get(path).status_code for client in clients}
    assert len(found) == 1
    return found == {200}


def can_act(scene: Scene, slug: str) -> dict[str, bool]:
    """Check what the viewer can do with a song."""
    viewer, status = scene.viewer, scene.songs[slug]
    path, compose, vote = f"/statuses/{status}", f"/statuses/new?quote={status}", {"option": "0"}
    reply = {"text": "hm", "key": f"form-of-{slug}", "reply": status}
    quote = {"text": "hm", "key": f"form-of-{slug}", "quote": status}
    message = {"text": "look", "key": f"form-of-{slug}", "status": status}
    page, form = (viewer.get(address).status_code for address in (f"/@wren/{status}", compose))
    like, unlike = (viewer.post(f"{path}/{act}").status_code for act in ("like", "unlike"))
    voted = viewer.post(f"{path}/vote", data=vote).status_code
    return {
        "may boost": viewer.post(f"{path}/boost").status_code == 303
        and viewer.post(f"{path}/unboost").status_code == 303,
        "exists": 404 not in (page, form, like, unlike, voted),
        "may vote": voted == 303,
        "may bookmark": viewer.post(f"{path}/bookmark").status_code == 303,
        "may report": viewer.post(f"/@wren/{status}/report", data={"category": "hate"}).status_code
        == 303,
        "may like": like == 303,
        "may reply": viewer.post("/statuses", data=reply).status_code == 303,
        "may quote": form == 200 and viewer.post("/statuses", data=quote).status_code == 303,
        "may forward": viewer.get(f"/chats/forward?status={status}").status_code == 200
        and viewer.post(f"/chats/{scene.chat}/messages", data=message).status_code == 303,
    }


def among_pins(scene: Scene, with_visitors: bool) -> dict[str, set[str]]:
    """Pin all songs and return which of them the profile shows."""
    for status in scene.songs.values():
        pins.pin(scene.site, scene.uids["wren"], status)
    worker.drain(scene.site)
    clients = {"pinned": scene.viewer, "visitor pinned": scene.visitor}
    if not with_visitors:
        del clients["visitor pinned"]
    return {row: slugs_after(one, "/@wren", "a wren sings") for row, one in clients.items()}


def among_counts(scene: Scene) -> dict[str, set[str]]:
    """Return what the reply and quote counts of ibis's status include, the most visible first."""
    status = statuses.get(scene.db, scene.ibis_status)
    counts = {"counts as a reply": status.replies, "counts as a quote": status.quotes}
    slugs = [visibility.slug for visibility in Visibility]
    return {row: set(slugs[:count]) for row, count in counts.items()}


def by_followed_tag(scene: Scene) -> set[str]:
    """Return what the home timeline shows because of a followed hashtag alone."""
    scene.viewer.post("/@wren/unfollow")
    scene.viewer.post("/tags/song/follow")
    return slugs_after(scene.viewer, "/home", '<p class="status-body"[^>]*>a wren sings')


@pytest.mark.parametrize(
    ("scene", "column"),
    [(column, column) for column in COLUMNS],
    indirect=["scene"],
    ids=[str(column) for column in COLUMNS],
)
def test_pages_show_each_status_to_its_audience_only(scene: Scene, column: Column) -> None:
    found = {"push": on_devices(scene, scene.uids[column.viewer_login])}
    visitors = column.with_visitors
    found |= on_pages(scene) | (on_visitors_pages(scene) if visitors else {})
    found |= one_by_one(scene, visitors) | among_pins(scene, visitors) | among_counts(scene)
    found["followed tag"] = by_followed_tag(scene)
    letters = {
        row: "".join(visibility.slug[0] for visibility in Visibility if visibility.slug in slugs)
        for row, slugs in found.items()
    }
    assert {row: cell or "-" for row, cell in letters.items()} == column.cells


@pytest.mark.parametrize("visibility", WIDEST_FIRST)
def test_streams_send_public_statuses_and_unlisted_ones_outside_shared_timelines(
    stream_scene: StreamScene, visibility: Visibility, monkeypatch: pytest.MonkeyPatch
) -> None:
    about_others = ("boost", "quote")  # rows about statuses that are public
    rows = expected_rows("none", "live", "api", "program")
    public = {row for row in rows if not any(word in row for word in about_others)}
    shared = {"live public", "live tag", "live visitor public", "live visitor tag"}
    unlisted = {row for row in public - shared if not row.startswith("api")}
    expected = {
        Visibility.PUBLIC: public,
        Visibility.UNLISTED: unlisted,
        Visibility.FOLLOWERS: {"program home"},  # pages of followers ask for it themselves
        Visibility.MENTIONED: set(),
    }[visibility]
    streams = rows_on_streams(stream_scene, monkeypatch, lambda: None, visibility)
    before, after, resumed = (
        {row for row in found if not any(word in row for word in about_others)} for found in streams
    )
    assert before == after == expected
    assert resumed == {row for row in expected if row.startswith("live")}
