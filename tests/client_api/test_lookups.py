"""Search, hashtags, trends and the discovery of the site, with what clients send."""

from flask import Flask

from tests.conftest import SignUp
from tests.support.client_api import ApiClient, Clients, connected, ids, links


def test_a_search_is_narrowed_to_an_author_or_to_those_followed(clients: Clients) -> None:
    ann, ben = clients
    found = ids([client.post("v1/statuses", status="a swift") for client in (ann, ben, ann)])
    search = {"q": "swift", "type": "statuses"}
    assert ids(ben.get("v2/search", **search)["statuses"]) == found[::-1]
    assert ids(ben.get("v2/search", **search, account_id="1")["statuses"]) == [found[2], found[0]]
    assert ids(ben.get("v2/search", **search, offset="1", limit="1")["statuses"]) == found[1:2]
    assert ben.get("v2/search", **search, account_id="4242")["statuses"] == []
    for login, names in (("ann", ["ann"]), ("ben", [])):
        people = ben.get("v2/search", q=login, type="accounts", following="true")["accounts"]
        assert [one["acct"] for one in people] == names
    assert [one["acct"] for one in ann.get("v1/accounts/search", q="be")] == ["ben"]
    assert ann.get("v1/accounts/search", q="be", following="true") == []


def test_a_search_for_nothing_is_refused(clients: Clients) -> None:
    for path in ("v2/search", "v1/accounts/search"):
        answer = clients[0].call(f"GET /api/{path}?type=accounts")
        assert answer.status_code == 400 and answer.json["error"]


def test_pages_of_people_are_as_long_as_those_of_mastodon(app: Flask, member: SignUp) -> None:
    ann = connected(app, member("ann"))
    for number in range(42):
        connected(app, member(f"bird{number}")).post("v1/accounts/1/follow")
    for path in ("v1/accounts/1/followers", "v1/notifications"):
        assert len(ann.get(path)) == 40
        assert len(ann.get(path, limit="80")) == 42


def test_pages_of_people_lead_up_as_well_as_down(app: Flask, member: SignUp) -> None:
    ann = connected(app, member("ann"))
    status = ann.post("v1/statuses", status="hm")["id"]
    for number in range(5):
        bird = connected(app, member(f"bird{number}"))
        bird.post("v1/accounts/1/follow")
        bird.post(f"v1/statuses/{status}/favourite")
    _goes_both_ways(ann, "v1/accounts/1/followers")
    _goes_both_ways(ann, f"v1/statuses/{status}/favourited_by")
    kept = ann.post("v1/lists", title="Birds")["id"]
    for uid in range(2, 7):
        ann.post(f"v1/accounts/{uid}/mute", duration=str(uid * 1_000))
        ann.post(f"v1/lists/{kept}/accounts", **{"account_ids[]": str(uid)})
    _goes_both_ways(ann, "v1/mutes")
    _goes_both_ways(ann, f"v1/lists/{kept}/accounts")
    assert ids(ann.get(f"v1/lists/{kept}/accounts", limit="0")) == [6, 5, 4, 3, 2]
    for uid in range(2, 7):
        ann.post(f"v1/accounts/{uid}/block")
    _goes_both_ways(ann, "v1/blocks")


def test_a_change_is_sent_with_put_or_patch(app: Flask, member: SignUp) -> None:
    ann = connected(app, member("ann"))
    made = ann.post("v1/lists", title="Birds")["id"]
    changed = ann.call(f"PATCH /api/v1/lists/{made}", data={"title": "Gulls"})
    assert changed.json["title"] == "Gulls"


def _goes_both_ways(client: ApiClient, path: str) -> None:
    """Check the pages of the members 2 to 6, of whom the last is the newest."""

    def beside(page: str, rel: str) -> str:
        return links(client, page)[rel].removeprefix("http://localhost/api/")

    first = f"{path}?limit=2"
    assert ids(client.get(first)) == [6, 5]
    second = beside(first, "next")
    assert ids(client.get(second)) == [4, 3]
    assert ids(client.get(beside(second, "prev"))) == [6, 5]
    assert client.get(beside(first, "prev")) == []
    third = beside(second, "next")
    assert ids(client.get(third)) == [2]
    assert ids(client.get(beside(third, "prev"))) == [4, 3]
    assert ids(client.get(beside(third, "prev").replace("min_id", "since_id"))) == [6, 5]


def test_rankings_lead_on_by_their_offset(clients: Clients) -> None:
    ann, ben = clients
    found = [int(ann.post("v1/statuses", status=f"{at}")["id"]) for at in range(3)]
    for status in found:
        ben.post(f"v1/statuses/{status}/favourite")
    path = "v1/trends/statuses?limit=2"
    rest = links(ann, path)["next"].removeprefix("http://localhost/api/")
    assert rest == f"{path}&offset=2"
    assert sorted(ids(ann.get(path)) + ids(ann.get(rest))) == found
    assert links(ann, rest) == {}


def test_hashtags_of_other_sites_are_none(clients: Clients) -> None:
    ann, ben = clients
    ann.post("v1/statuses", status="#birds")
    assert ben.get("v1/timelines/tag/birds", remote="true") == []
    assert len(ben.get("v1/timelines/tag/birds", local="true")) == 1
    assert ben.get("v1/trends") == ben.get("v1/trends/tags")


def test_rows_of_a_form_need_no_numbers(clients: Clients) -> None:
    ann, _ = clients
    sent = {
        "title": "birds",
        "context[]": "home",
        "keywords_attributes[][keyword]": ["swift", "wren"],
        "keywords_attributes[][whole_word]": ["true", "false"],
    }
    made = ann.post("v2/filters", **sent)
    assert [(one["keyword"], one["whole_word"]) for one in made["keywords"]] == [
        ("swift", True),
        ("wren", False),
    ]


def test_the_address_that_the_site_names_looks_members_up(app: Flask, clients: Clients) -> None:
    visitor = ApiClient(app)
    named = visitor.call("GET /.well-known/host-meta").text
    assert 'template="http://localhost/.well-known/webfinger?resource={uri}"' in named
    path = "/.well-known/webfinger"
    for resource in ("acct:Ann@localhost", "acct:ann", "http://localhost/@ann"):
        answer = visitor.call(f"GET {path}", query_string={"resource": resource})
        assert answer.content_type.startswith("application/jrd+json")
        assert answer.json["subject"] == "acct:ann@localhost"
        assert answer.json["links"][0]["href"] == "http://localhost/@ann"
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
    for resource in ("acct:ann@elsewhere.example", "acct:nobody@localhost", "https://x.example/"):
        answer = visitor.call(f"GET {path}", query_string={"resource": resource})
        assert answer.status_code == 404
    assert visitor.call(f"GET {path}").status_code == 400


def test_people_find_themselves_by_their_login(clients: Clients) -> None:
    assert [one["acct"] for one in clients[0].get("v1/accounts/search", q="ann")] == ["ann"]


def test_the_name_of_no_hashtag_is_not_found(clients: Clients) -> None:
    assert clients[0].call("GET /api/v1/tags/tag-name").status_code == 404


def test_a_phrase_keeps_its_id_in_a_list_of_changes_until_it_is_removed(clients: Clients) -> None:
    ann, _ = clients
    words = [{"keyword": "gull"}, {"keyword": "tern"}]
    sent = {"title": "sea", "context": ["home"], "keywords_attributes": words}
    made = ann.call("POST /api/v2/filters", json=sent).json
    route, number = f"PUT /api/v2/filters/{made['id']}", made["keywords"][0]["id"]
    for row, left in (
        ({"keyword": "auk"}, ["auk", "tern"]),
        ({"keyword": "ibis", "whole_word": False}, ["ibis", "tern"]),
        ({"_destroy": True}, ["tern"]),
    ):
        changed = ann.call(route, json={"keywords_attributes": [{"id": number, **row}]}).json
        assert [one["keyword"] for one in changed["keywords"]] == left


def test_what_no_member_can_mean_is_refused_as_mastodon_does(clients: Clients) -> None:
    ann = clients[0]
    assert ann.call("POST /api/v1/accounts/1/follow").status_code == 403
    far = str(10**18)  # an id of another site
    for route in ("GET /api/v1/statuses/{}", "GET /api/v1/accounts/{}"):
        assert ann.call(route.format(far)).status_code == 404
    reply = {"status": "hm", "in_reply_to_id": far}
    assert ann.call("POST /api/v1/statuses", data=reply).status_code == 404
    assert ann.get("v1/accounts", **{"id[]": far}) == []
