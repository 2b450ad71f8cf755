"""Fill a site with content of every kind, for tests that visit every page."""

import io
import re
import time
from datetime import date, timedelta
from html import unescape

from flask.testing import FlaskClient
from PIL import Image

from webapp.accounts.store import uid_by_login
from webapp.core.store import Db, Site
from webapp.rewards.drops import store as drops
from webapp.rewards.drops.store import Drop
from webapp.rewards.items import store as items
from webapp.rewards.points import ledger
from webapp.statuses import keys as status_keys
from webapp.statuses.values.card import LinkCard, pack_card
from webapp.timelines.trends import store as trends
from webapp.timelines.trends.ranking import Ranking, Trend

TEXTS = ("one\n\ntwo <b>&amp;", "see https://example.com/a?b=c&d=e #tag @ben", "שלום 世界 😀")
POLL = {"option1": 'A "quoted" <answer>', "option2": "&amp;", "poll_minutes": "60"}
# Addresses for visitors and members. `{id}` is the id of the status that `fill_site` returns.
PUBLIC_PATHS = (
    "/ /offline /about /terms /privacy /contact /shortcuts /about/streaming /public /login "
    "/.well-known/security.txt /login/recover /signup /@ann /@ben "
    "/@ann/followers /@ann/following /@ann/featured /@ann/mutuals /@ben/mutuals /nowhere "
    "/@ann/{id}/likes /@ann/{id}/boosts "
    "/@ann/{id}/history /@ann/{id}/quotes /@ann/{id}/embed /@ann/1/embed "
    "/@ann/replies /@ben/replies "
    "/search /search?q=here /search?q=a+foo:bar+ann&tab=top "
    "/search?q=ann&tab=people /search?q=tag&tab=tags /search?q=nowhere&tab=tags "
    "/public?max_id=1 /public/hot /explore?lang=all /explore?lang=en /explore?lang=xx "
    "/explore?lang=all&max_id=1 /explore?lang=%3Cb%3E /explore/groups?q=%3Cb%3E "
    "/tags/tag/hot /tags/nothing/hot "
    "/@ann?max_id=x /tags/tag /tags/nothing /tags/tag?max_id=1 /tags/12 "
    "/@ann/lists /@ben/lists /@ann/lists/1 /@ann/lists/1/members "
    "/@ann/lists/2 /@ann/lists/2/members /@ann/lists/1?max_id=1 /@ann/lists/9 "
    "/explore /explore?max_id=1 /explore/tags /explore/links /explore/groups "
    "/explore/people "
    "/explore/find-groups /explore/find-groups?q=%3Cb%3E "
    "/groups /groups/1 /groups/birders /groups/birders/top /groups/birders/members "
    "/groups/birders/about /groups/birders?max_id=1 /groups/nowhere "
    "/market /market?max_id=x /market/65 /market/1 /cart"
)
# Addresses for members only, as Ann sees them.
MEMBER_PATHS = (
    "/home /statuses/new /settings /settings/appearance /settings/profile "
    "/settings/password /settings/username /settings/email /settings/sessions "
    "/settings/security /settings/security/app /settings/security/access "
    "/settings/tokens /settings/delete /home?max_id=1 /about/streaming?track=wren%22 "
    "/settings/apps /admin /admin/settings /admin/log /admin/log?q=nothing "
    "/history /bookmarks /bookmarks/folders/1 "
    "/admin/security /admin/security?kind=failed&login=ann "
    "/bookmarks/folders/1/edit /@ann/{id}/folders "
    "/@ann/{id}/edit /drafts /scheduled /drafts/draft-key-1 "
    "/drafts/draft-key-2 /@ben /@ann/{id}/quotes /statuses/new?quote={id} /statuses/new?quote=1 "
    "/settings/blocks /settings/mutes /settings/hidden-boosts "
    "/settings/tags /settings/filters /settings/filters/1 /@ben/note "
    "/tags/tag /explore?lang=all /tags/tag/hot "
    "/settings/privacy /settings/home /settings/delete-posts /settings/data "
    "/followers/languages /requests /notifications /notifications/likes /notifications/private "
    "/notifications?max_id=1 /settings/notifications /lists /lists/1/edit /@ben/lists/add "
    "/@ann/lists/1/members?max_id=1 /search?q=tag /search?q=tag&tab=own /search?q=nowhere "
    "/search/saved "
    "/explore/hidden /explore/tags /explore/links "
    "/explore/people /welcome "
    "/welcome/topics /welcome/people /welcome/picture /welcome/codes /welcome/post /welcome/done "
    "/welcome/done?next=/@ben "
    "/check-in /check-in?month=2026-01 /check-in/settings /points "
    "/leaderboards /leaderboards?when=all /leaderboards?who=followed "
    "/drops /drops/1 /drops/2 /drops/1/order /orders "
    "/admin/drops /admin/drops/new /admin/drops/2/edit "
    "/inventory /market?by=price /market?by=name&kind=badge&most=99 /market?by=ends "
    "/market/130 /cart "
    "/promote /settings/promoted "
    "/groups/new /groups/birders/settings /groups/birders/requests /groups/birders/invitations "
    "/jobs /jobs?skill=lua&place=remote /jobs/new /jobs/mine /jobs/mine?missing=1 /jobs/own "
    "/moderation /moderation/@ben /moderation/appeals /moderation/log /moderation/sign-ups "
    "/moderation/promotions "
    "/moderation/terms /moderation/terms?max_id=1 /moderation/networks "
    "/moderation?state=done&category=spam /standing "
    "/admin/icon /admin/invitations /settings/invitations /admin/members /admin/members?q=ann "
    "/admin/members?role=admin&state=active&max_id=2 "
    "/jobs/skills /nearby /nearby?at=1,2 /nearby?at=x /nearby/people "
    "/more /settings/bots /home/popular /@ben/media /@ben/likes /@ben/menu "
    "/@ben/report /@ben/common-follows /@ben/familiar-followers /@ann/{id}/menu "
    "/@ann/{id}/report /promote/{id} /groups/birders/reports /jobs/1 /jobs/1/edit "
    "/moderation/find?q=ann"
)


def fill_site(ann: FlaskClient, ben: FlaskClient) -> str:
    """Let two members create content of every kind. Return the path of a status."""
    _edit_profile(ann)
    _post_statuses(ann)
    _attach_card(ann)
    _make_trends(ann)
    _post_polls(ann, ben)
    ann.post("/@ben/follow")
    ann.post("/tags/tag/follow")
    ann.post("/tags/tag/feature")
    ann.post("/check-in")
    _take_from_a_drop(ann)
    _sell_items(ann, ben)
    _promote(ann)
    ann.post("/search/saved", data={"q": "<b>tag</b> OR here", "tab": "top"})
    _create_lists(ann)
    _meet(ann, ben)
    _save_drafts(ann)
    form = {"words": "here", "public": "y", "filter_action": "warn", "expires_in": "week"}
    ann.post("/settings/filters", data=form)
    ben.post("/@ann/follow")
    ann.post("/settings/tokens", data={"name": "a script"})
    newest = re.search(r'class="status-time" href="([^"]+)"', ann.get("/@ann").text)
    assert newest
    path = newest[1]
    _interact(ann, ben, path)
    status = path.rpartition("/")[2]
    _post_thread(ann, ben, status)
    _post_quotes(ann, ben, status)
    _make_group(ann, ben)
    return path


def _meet(ann: FlaskClient, ben: FlaskClient) -> None:
    """Let two members offer jobs, name skills, and post and be found around a place."""
    skill = {"skills-0-name": '"<Lua>"', "skills-0-level": "2", "skills-0-years": "1"}
    more = {"skills-1-name": "&amp;", "skills-1-level": "1", "skills-1-years": ""}
    for client in (ann, ben):
        client.post("/jobs/new", data={"title": "<b>Job", "text": "a\nb", "remote": "y", **skill})
        client.post("/jobs/new", data={"title": "More", "text": "c", "place": "<", **skill, **more})
        client.post("/jobs/skills", data={"shown": "y", **skill})
        client.post("/nearby/people", data={"at": "1,2"})
    ben.post("/statuses", data={"text": "around", "lat": "1.001", "long": "2", "place": "<hut>"})


def fill_chats(ann: FlaskClient, ben: FlaskClient, status: str) -> str:
    """Let two members write in chats, with a card of the status. Return the path of a group."""
    text = 'A "quoted" <name> @ann https://example.com/?a=b&c=d'
    group = {"name": 'A "quoted" <group>', "topic": text, "people": "ben", "kind": "private"}
    path: str = ann.post("/chats/new", data={**group, "text": text}).location
    for client, reply in ((ben, "1"), (ann, "2"), (ann, "")):
        message = {
            "text": text,
            "reply": reply,
            "status": status.rpartition("/")[2],
            "pictures": picture_file(),
            "alt": text,
        }
        _submit_files(client, f"{path}/messages", message)
        client.post(f"{path}/messages/1/react", data={"emoji": "👍"})
    ann.post(f"{path}/messages/1/edit", data={"text": "edited"})
    ben.post(f"{path}/messages/2/delete")
    ben.get(path)
    ben.post(ann.get("/chats/@ben").location + "/messages", data={"text": text})
    return path


def picture_file() -> tuple[io.BytesIO, str]:
    """Return a picture to upload, and its name."""
    picture = io.BytesIO()
    Image.new("RGB", (300, 200), "#b45").save(picture, "PNG")
    picture.seek(0)
    return picture, "x.png"


def _edit_profile(ann: FlaskClient) -> None:
    for kind in ("avatar", "header"):
        profile = {
            "name": 'A "quoted" <name>',
            "bio": "Sings\n#here @ben",
            "location": "Reeds",
            "website": "example.org",
            kind: picture_file(),
        }
        _submit_files(ann, "/settings/profile", profile)


def _post_statuses(ann: FlaskClient) -> None:
    """Post plain statuses, places, and pictures."""
    for text in TEXTS:
        _submit(ann, "/statuses", text=text)
    for name in ("", 'A "quoted" <place>'):
        place = {"lat": "31.23", "long": "-121.47", "place": name}
        _submit(ann, "/statuses", text=f"here {name}", cw=name, **place)
    pictures = [picture_file() for _ in range(3)]
    album = {"text": "", "pictures": pictures, "alt": ['A "quoted" <bird>', "", ""]}
    _submit_files(ann, "/statuses", album)


def _attach_card(ann: FlaskClient) -> None:
    """Give the link among TEXTS a card."""
    page = ann.get("/@ann").text
    found = re.search(
        r'id="status-(\d+)"(?:(?!</article>).)*?href="(https://example.com/[^"]+)', page, re.S
    )
    assert found
    card = LinkCard(unescape(found[2]), 'A "quoted" <title>', "&amp;", f"cards/20991231/{'a' * 32}")
    db: Db = ann.application.extensions["linnet.db"]
    db.run(("HSET", status_keys.status(int(found[1])), "card", pack_card(card)))


def _make_trends(ann: FlaskClient) -> None:
    """Let hashtags and links trend, and hide one from Ann."""
    url = "https://birds.press/?a=%3Cb%3E&c=d"
    card = LinkCard(url, 'A "quoted" <title>', "&amp;", f"cards/20991231/{'a' * 32}")
    history = (0, 1, 2, 3, 4, 5, 6, 7)
    tags = tuple(Trend(f"#{name}", 7, "en", history) for name in ("tag", "麻雀", "hidden"))
    links = (Trend(url, 7, "", history, card), Trend(f"{url}2", 7, "zh", history))
    db: Db = ann.application.extensions["linnet.db"]
    trends.save(db, 1, Ranking(tags, links))
    ann.post("/explore/hide", data={"item": "#hidden"})


def _take_from_a_drop(ann: FlaskClient) -> None:
    """Add a drop that is open and one that is not yet, and let Ann take a piece."""
    extensions = ann.application.extensions
    site = Site(extensions["linnet.db"], extensions["linnet.config"])
    now = int(time.time() * 1000)
    for opens in (now - 1_000, now + 3_600_000):
        closes = opens + 7_200_000
        drop = Drop(0, 'A "quoted" <thing>', "&amp;", "badge", 1, 9, 9, opens, closes, 0, 50)
        drops.save(site, drop)
    ann.post("/drops/1/take")


def _sell_items(ann: FlaskClient, ben: FlaskClient) -> None:
    """Let Ben offer an item that Ann bids for, and Ann one that Ben makes an offer for."""
    extensions = ann.application.extensions
    site = Site(extensions["linnet.db"], extensions["linnet.config"])
    sales = (("ben", ben, ann, "auction"), ("ann", ann, ben, "fixed"))
    for login, client, other, kind in sales:
        uid = site.db.read(uid_by_login(login))
        ledger.book(site, uid, 90, "gift", "full")
        item = items.give(site, uid, "thing", 'A "quoted" <item>.')
        sale = {"version": "1", "price": "5", "kind": kind, "begins": "0", "lasts": "24"}
        _submit(client, f"/market/{item}/list", **sale)
        _submit(other, f"/cart/{item}")
    _submit(ann, "/market/65/pay", what="bid", amount="7")
    _submit(ben, "/market/130/pay", what="offer", amount="4")


def _promote(ann: FlaskClient) -> None:
    """Let Ann promote a post for points that she was given."""
    extensions = ann.application.extensions
    site = Site(extensions["linnet.db"], extensions["linnet.config"])
    ledger.book(site, site.db.read(uid_by_login("ann")), 50, "gift", "gift")
    found = re.search(r'class="status-time" href="/@ann/(\d+)"', ann.get("/@ann").text)
    assert found
    terms = {"words": "tag", "language": "", "kind": "views", "price": "9", "budget": "50"}
    _submit(ann, f"/promote/{found[1]}", **terms, days="3")


def _post_polls(ann: FlaskClient, ben: FlaskClient) -> None:
    """Post polls, in the first of which Ann votes, and statuses with a reply policy."""
    for number, cw in enumerate(("", 'A "quoted" <warning>')):
        _submit(ben, "/statuses", text=f"what {number}?", cw=cw, poll_multiple=cw, **POLL)
        _submit(ann, "/statuses", text=f"which {number}?", cw=cw, **POLL)
    for policy in ("followed", "mentioned"):
        _submit(ben, "/statuses", text=f"for few {policy}", reply_policy=policy)
    vote_paths = re.findall(r'action="(/statuses/\d+/vote)"', ann.get("/@ben").text)
    assert len(vote_paths) == 2
    _submit(ann, vote_paths[-1], option="0")


def _create_lists(ann: FlaskClient) -> None:
    """Create an exclusive list and another, and add Ben to the first."""
    _submit(ann, "/lists", name='A "quoted" <list>', exclusive="y")
    _submit(ann, "/lists", name="another")
    _submit(ann, "/lists/1/members", people="ben")


def _save_drafts(ann: FlaskClient) -> None:
    """Save a draft with pictures and a scheduled post with a poll."""
    draft = {"text": 'a "quoted" <draft>', "cw": "<x>"}
    pictures = {"pictures": [picture_file(), picture_file()], "alt": ['A "quoted" <bird>', ""]}
    _submit_files(ann, "/drafts", {"key": "draft-key-1", **draft, **pictures})
    at = f"{date.today() + timedelta(days=9)}T06:30"
    _submit(ann, "/statuses", key="draft-key-2", at=at, **draft, **POLL)


def _interact(ann: FlaskClient, ben: FlaskClient, path: str) -> None:
    """Like, bookmark, boost, pin and edit a status, and keep those that Ann opens."""
    status = path.rpartition("/")[2]
    for client, actions in ((ann, ("like", "bookmark")), (ben, ("like", "boost"))):
        for action in actions:
            _submit(client, f"/statuses/{status}/{action}")
    _submit(ann, "/history", choice="on")
    ann.post(f"{path}/folders", data={"name": 'A "quoted" <folder>'})
    ann.post(f"/statuses/{status}/pin")
    ann.post(f"{path}/edit", data={"text": TEXTS[0], "cw": 'A "quoted" <warning>', "version": "0"})


def _post_thread(ann: FlaskClient, ben: FlaskClient, status: str) -> None:
    """Post a thread below a status, and delete one of its replies."""
    chain = [status]
    for number, client in enumerate((ben, ann, ben, ann)):
        reply = {"text": f'@ann "quoted" <{number}>', "reply": chain[-1]}
        chain.append(client.post("/statuses", data=reply).location.rpartition("-")[2])
    _submit(ann, f"/statuses/{chain[2]}/delete")
    _submit(ben, "/statuses", text="aside", reply=status)
    _submit(ben, "/statuses", text='@ann "private" <aside>', visibility="mentioned")


def _post_quotes(ann: FlaskClient, ben: FlaskClient, status: str) -> None:
    """Quote a status: plainly, with a content warning, detached, and through another quote."""
    for number, cw in enumerate(("", 'A "quoted" <warning>', "")):
        _submit(ben, "/statuses", text=f"look {number}", cw=cw, quote=status)
    newest = re.findall(r'id="status-(\d+)"', ben.get("/@ben").text)[0]
    _submit(ann, f"/statuses/{newest}/detach")
    _submit(ann, "/statuses", text="so I see", quote=newest)


def _make_group(ann: FlaskClient, ben: FlaskClient) -> None:
    """Make a group with a post, a vote and rules."""
    text = 'A "quoted" <name>'
    group = {"name": text, "about": text, "voting": "both"}
    _submit(ann, "/groups/new", slug="birders", kind="open", **group)
    _submit(ann, "/groups/birders/settings", rules=f"{text}\n&amp;", **group)
    _submit(ben, "/groups/birders/join")
    _submit(ben, "/statuses", text="to the group", group="1")
    post = re.findall(r'id="status-(\d+)"', ann.get("/groups/birders").text)[0]
    _submit(ann, f"/groups/birders/posts/{post}/vote", vote="up")
    _submit(ann, f"/groups/birders/posts/{post}/pin")
    _submit(ann, "/groups/birders/settings/chat", chat="start")
    _submit(ben, "/groups/birders/chat")


def _submit(client: FlaskClient, path: str, **form: str) -> None:
    """Send a form that must be accepted."""
    response = client.post(path, data=form)
    assert response.status_code == 303, (path, response.text)


def _submit_files(client: FlaskClient, path: str, form: dict[str, object]) -> None:
    """Send a form with files that must be accepted."""
    response = client.post(path, data=form, content_type="multipart/form-data")
    assert response.status_code == 303, (path, response.text)
