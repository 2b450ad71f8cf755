"""The pages of groups."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from flask.testing import FlaskClient
from markupsafe import escape

from tests.community.groups.reading import NEW, ids_on, post_to
from tests.support.pages import page_text
from tests.support.world import Web
from webapp.core.store import Site
from webapp.statuses.drafts import keys as draft_keys, publishing


def test_a_group_is_made_joined_and_left(ann: FlaskClient, ben: FlaskClient, web: Web) -> None:
    assert ann.post("/groups/new", data=NEW).location == "/groups/birders"
    visitor = web.app.test_client().get("/groups/birders").text
    assert re.search(r'href="/login\?next=/groups/birders">Join<', visitor)
    assert "Birders" in ben.get("/groups").text
    assert "Join" in ben.get("/groups/birders").text
    assert ben.post("/groups/birders/join").location == "/groups/birders"
    assert "Joined" in ben.get("/groups/birders").text
    assert "@ben" in ann.get("/groups/birders/members").text
    refused = ann.post("/groups/birders/leave")
    assert refused.status_code == 409 and "Make someone else an owner" in page_text(refused)
    assert 'aria-label="Make @ben an owner"' in refused.text
    assert ben.post("/groups/birders/leave").status_code == 303
    assert "@ben" not in ann.get("/groups/birders/members").text
    assert ann.post("/groups/birders/leave").status_code == 409
    assert ann.get("/groups/1").location == "/groups/birders"
    assert ann.get("/groups/nowhere").status_code == 404


def test_a_group_is_found_by_words_of_its_name_address_and_topic(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    assert "<search>" not in ann.get("/groups").text.partition("<main")[2]
    ann.post("/groups/new", data={**NEW, "name": "Birders’ Café", "kind": "closed"})
    ann.post("/groups/new", data={**NEW, "name": "Rowers", "slug": "reed-boats", "about": ""})
    for reader in (ben, web.client):
        for query, found in (
            ("CAFÉ", ["Birders’ Café"]),
            ("birders' early", ["Birders’ Café"]),
            ("reed-boats", ["Rowers"]),
            ("ers", ["Birders’ Café", "Rowers"]),
            ("café reed", []),
        ):
            page = reader.get("/explore/find-groups", query_string={"q": query}).text
            row = r'(?s)person-link" href="/groups/.*?byline-name" dir="auto">([^<]+)</b>'
            names = re.findall(row, page)
            assert sorted(names) == found and escape(query) in page
            assert ("No groups found" in page) == (not found)
    assert "Rowers" in ben.get("/explore/find-groups?q=%20").text


def test_owners_read_in_the_list_of_groups_what_waits_for_them(web: Web) -> None:
    ann, ben, cat = (web.member(login) for login in ("ann", "ben", "cat"))
    ann.post("/groups/new", data={**NEW, "kind": "closed"})
    for one in (ben, cat):
        one.post("/groups/birders/join")
    assert "2 requests to join" in ann.get("/groups").text
    ann.post("/groups/birders/requests/ben/accept")
    song = post_to(ben, "birders", "a song")
    ann.post(f"/@ben/{song}/report", data={"reason": "Loud.", "category": "other"})
    page = ann.get("/groups").text
    assert "1 request to join" in page and "1 report<" in page
    for other in (ben, cat, web.client):
        assert "request to join" not in other.get("/groups").text
        assert "1 report<" not in other.get("/groups").text


def test_who_is_removed_may_take_their_posts_along(ann: FlaskClient, ben: FlaskClient) -> None:
    ann.post("/groups/new", data=NEW)
    ben.post("/groups/birders/join")
    post_to(ben, "birders", "a song")
    page = ann.get("/groups/birders/members").text
    assert 'name="posts"' in page and 'formaction="/groups/birders/members/ben/ban"' in page
    ann.post("/groups/birders/members/ben/remove")
    assert "a song" in ann.get("/groups/birders").text
    ben.post("/groups/birders/join")
    ann.post("/groups/birders/members/ben/ban", data={"posts": "1"})
    assert "a song" not in ann.get("/groups/birders").text and "a song" in ben.get("/@ben").text


def test_a_request_is_taken_back_by_its_name(ann: FlaskClient, ben: FlaskClient) -> None:
    ann.post("/groups/new", data={**NEW, "kind": "closed"})
    ben.post("/groups/birders/join")
    said = page_text(ben.post("/groups/birders/leave", follow_redirects=True))
    assert "Request canceled." in said and "You left" not in said
    ann.post("/groups/birders/members/ben/ban")
    assert "You left" not in page_text(ben.post("/groups/birders/leave", follow_redirects=True))


def test_who_is_banned_reads_so_in_place_of_the_button(ann: FlaskClient, ben: FlaskClient) -> None:
    ann.post("/groups/new", data=NEW)
    ann.post("/groups/birders/members/ben/ban")
    for page in ("", "/about", "/members"):
        found = ben.get(f"/groups/birders{page}")
        assert "has banned you from it" in page_text(found) and "/join" not in found.text


def test_who_was_removed_sees_no_form_below_a_post_of_theirs(
    ann: FlaskClient, ben: FlaskClient
) -> None:
    ann.post("/groups/new", data={**NEW, "kind": "closed"})
    ben.post("/groups/birders/join")
    ann.post("/groups/birders/requests/ben/accept")
    song = post_to(ben, "birders", "a song")
    assert 'name="reply"' in ben.get(f"/@ben/{song}").text
    ann.post("/groups/birders/members/ben/remove")
    page = ben.get(f"/@ben/{song}")
    assert 'name="reply"' not in page.text and "Join the group first." in page_text(page)


@pytest.mark.parametrize(
    ("field", "value"),
    [("slug", "ab"), ("slug", "new"), ("slug", "1234"), ("slug", "a b c"), ("name", " "),
     ("kind", "secret"), ("voting", "money"), ("about", "a" * 301)],
)  # fmt: skip
def test_a_form_that_is_no_group_comes_back_as_it_was(web: Web, field: str, value: str) -> None:
    ann = web.member("ann")
    response = ann.post("/groups/new", data={**NEW, field: value})
    assert response.status_code == 422
    assert "Out early." in response.text or field == "about"
    assert "Birders" not in ann.get("/groups").text


def test_an_address_that_is_taken_is_refused_beside_its_field(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    ann.post("/groups/new", data=NEW)
    response = ben.post("/groups/new", data={**NEW, "name": "Others"})
    assert response.status_code == 409
    assert "Another group has this address" in response.text and "Others" in response.text


def test_what_was_written_about_a_group_comes_back_where_it_is_one_too_many(web: Web) -> None:
    ann = web.member("ann")
    web.app.extensions["linnet.settings"].apply("1", {"limit_group": "1/3600"})
    form = {"slug": "birders", "name": "Birders", "kind": "open", "voting": "up"}
    ann.post("/groups/new", data=form)
    late = ann.post(
        "/groups/new",
        data={**form, "slug": "owls", "about": "For the late ones."},
        headers={"Origin": "http://localhost"},
    )
    assert late.status_code == 429 and "For the late ones.</textarea>" in late.text


def test_posts_of_an_open_group_are_public(ann: FlaskClient, web: Web) -> None:
    ann.post("/groups/new", data=NEW)
    assert "Everyone" in ann.get("/groups/birders").text
    song = post_to(ann, "birders", "a song", visibility="followers")
    assert ids_on(web.client.get("/groups/birders").text) == [song]
    assert '>In <a href="/groups/1"><bdi>Birders</bdi></a>' in web.client.get("/@ann").text
    assert "a song" in web.client.get("/public").text
    assert web.client.get("/groups/birders/top").status_code == 200


def test_a_closed_group_shows_others_only_what_it_is_about(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    ann.post("/groups/new", data={**NEW, "kind": "closed"})
    song = post_to(ann, "birders", "a secret")
    for reader in (web.client, ben):
        page = reader.get("/groups/birders").text
        assert "Out early." in page and "a secret" not in page
        assert "a secret" not in reader.get("/groups/birders/top").text
        assert reader.get("/groups/birders/members").status_code == 404
        assert reader.get(f"/@ann/{song}").status_code == 404
    assert "Request sent" in ben.post("/groups/birders/join", follow_redirects=True).text
    assert "@ben" in ann.get("/groups/birders/requests").text
    assert ben.get("/groups/birders/requests").status_code == 403
    ann.post("/groups/birders/requests/ben/accept")
    assert "a secret" in ben.get("/groups/birders").text
    reply = ben.post("/statuses", data={"text": "an answer", "reply": song, "key": "reply-key-1"})
    assert reply.status_code == 303
    assert "an answer" in ann.get(f"/@ann/{song}").text
    assert "Only its members see it" in ann.get(f"/@ann/{song}").text
    ann.post("/groups/birders/members/ben/ban")
    assert "a secret" not in ben.get("/groups/birders").text
    assert ben.get(f"/@ann/{song}").status_code == 404
    assert ben.post("/groups/birders/join").status_code == 403
    ann.post("/groups/birders/members/ben/unban")
    assert ben.post("/groups/birders/join").status_code == 303


def test_a_refused_post_keeps_its_group(ann: FlaskClient) -> None:
    ann.post("/groups/new", data={**NEW, "kind": "closed"})
    response = ann.post("/statuses", data={"text": "", "group": "1", "key": "key-12345"})
    assert response.status_code == 422
    assert "Post to Birders" in response.text and 'name="group" value="1"' in response.text
    saved = ann.post("/drafts", data={"text": "later", "group": "1", "key": "key-12345"})
    assert saved.status_code == 303
    assert "Post to Birders" in ann.get("/drafts/key-12345").text
    assert "Post to Birders" in ann.get("/statuses/new?group=1").text
    assert "Post to" not in ann.get("/statuses/new?group=2").text.replace("Post to a group", "")
    for gid in ("x", "999"):
        refused = ann.post("/statuses", data={"text": "hm", "group": gid, "key": f"key-{gid}-123"})
        assert refused.status_code in (404, 422)


def test_members_vote_on_a_page(ann: FlaskClient, ben: FlaskClient) -> None:
    ann.post("/groups/new", data=NEW)
    ben.post("/groups/birders/join")
    song = post_to(ann, "birders", "a song")
    path = f"/groups/birders/posts/{song}/vote"
    assert ben.post(path, data={"vote": "up"}).location == f"/groups/birders#status-{song}"
    page = ben.get("/groups/birders").text
    assert re.search(r'value="none"[^>]*aria-pressed="true"', page, re.S)
    as_json = {"Accept": "application/json"}
    assert ben.post(path, data={"vote": "down"}, headers=as_json).json == {"votes": 0}
    assert ben.post(path, data={"vote": "sideways"}).status_code == 422
    assert ann.post(path, data={"vote": "up"}).status_code == 409


def test_a_post_has_its_votes_on_its_own_page_too(
    ann: FlaskClient, ben: FlaskClient, web: Web
) -> None:
    ann.post("/groups/new", data=NEW)
    ben.post("/groups/birders/join")
    song = post_to(ann, "birders", "a song")
    ben.post(f"/groups/birders/posts/{song}/vote", data={"vote": "up"})
    trips = []

    def votes(client: FlaskClient) -> list[str]:
        before = web.db.trips
        page = client.get(f"/@ann/{song}").text
        trips.append(web.db.trips - before)
        assert ("Vote up" in page) == (client is ben and "group-votes" in page)
        return re.findall(r"<b>(−?\d)</b>\s*<span[^>]*>votes?<", page)

    assert votes(ann) == votes(web.client) == votes(ben) == ["2"]
    ann.post("/groups/birders/settings", data={**NEW, "voting": ""})
    assert votes(ben) == []
    assert trips[-1] == trips[-2]


def test_owners_remove_a_post_from_their_group(ann: FlaskClient, ben: FlaskClient) -> None:
    ann.post("/groups/new", data=NEW)
    ben.post("/groups/birders/join")
    song = post_to(ben, "birders", "a song")
    path = f"/groups/birders/posts/{song}/remove"
    assert ben.post(path).status_code == 403
    assert path not in ben.get("/groups/birders").text
    assert path in ann.get("/groups/birders").text
    assert ann.post(path).status_code == 303
    for page in ("/groups/birders", "/groups/birders/top"):
        assert ids_on(ann.get(page).text) == []
    assert ids_on(ann.get("/@ben").text) == [song]
    assert ann.post("/groups/birders/posts/64/remove").status_code == 404


def test_owners_change_a_group_and_close_it(ann: FlaskClient, ben: FlaskClient) -> None:
    ann.post("/groups/new", data=NEW)
    ben.post("/groups/birders/join")
    path = "/groups/birders/settings"
    assert ben.get(path).status_code == 403
    values = {"name": "Early birds", "about": "", "rules": "One\n\n Two ", "voting": ""}
    assert ben.post(path, data=values).status_code == 403
    assert ann.post(path, data={**values, "rules": "rule\n" * 11}).status_code == 422
    assert ann.post(path, data=values).status_code == 303
    about = ann.get("/groups/birders/about").text
    assert "Early birds" in about and '<li dir="auto">Two</li>' in about
    ann.post("/groups/birders/members/ben/promote")
    assert ben.post("/groups/birders/step-down").status_code == 303
    assert ben.post("/groups/birders/close", data={"confirmed": "Early birds"}).status_code == 403
    assert ann.post("/groups/birders/close", data={"confirmed": "no"}).status_code == 422
    assert ann.post("/groups/birders/close", data={"confirmed": "Early birds"}).status_code == 303
    assert ann.get("/groups/birders").status_code == 404


def test_members_of_a_closed_group_are_told_of_answers_and_others_are_not(web: Web) -> None:
    ann, ben, cat = web.member("ann"), web.member("ben"), web.member("cat")
    ann.post("/groups/new", data={**NEW, "kind": "closed"})
    ben.post("/groups/birders/join")
    ann.post("/groups/birders/requests/ben/accept")
    song = post_to(ann, "birders", "a secret for @ben and @cat")
    ben.post("/statuses", data={"text": "an answer @cat", "reply": song, "key": "reply-key-1"})
    assert "an answer" in ann.get("/notifications").text
    assert "a secret" in ben.get("/notifications").text
    page = cat.get("/notifications").text
    assert "a secret" not in page and "an answer" not in page
    ann.post("/groups/birders/members/ben/remove")
    assert "a secret" not in ben.get("/notifications").text


def test_a_scheduled_post_to_a_group_that_is_gone_says_so(ann: FlaskClient) -> None:
    ann.post("/groups/new", data=NEW)
    at = f"{datetime.now(UTC) + timedelta(days=1):%Y-%m-%dT%H:%M}"
    form = {"text": "later", "group": "1", "key": "key-12345", "at": at}
    assert ann.post("/statuses", data=form).status_code == 303
    ann.post("/groups/birders/close", data={"confirmed": "Birders"})
    extensions = ann.application.extensions
    site = Site(extensions["linnet.db"], extensions["linnet.config"])
    due = draft_keys.scheduled_posts(1)  # her uid
    site.db.run(("ZADD", due, 1, "1:key-12345"))
    site.db.run(("HSET", draft_keys.draft(1, "key-12345"), "due", 1))
    publishing.publish_due(site, [1])
    assert "This group doesn’t exist" in ann.get("/scheduled").text + ann.get("/drafts").text
