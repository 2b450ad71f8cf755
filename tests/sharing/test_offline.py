"""The service worker's script and the offline page: the same for everybody, without the store."""

import re

from flask.testing import FlaskClient

from tests.support.world import Web


def version(client: FlaskClient, **headers: str) -> str:
    """Return the version that the script names."""
    response = client.get("/service-worker.js", headers=headers)
    assert (response.status_code, response.mimetype) == (200, "text/javascript")
    assert "no-cache" in response.headers["Cache-Control"]
    assert {"Cookie", "Accept-Language"} <= set(response.headers["Vary"].split(", "))
    [found] = re.findall(r'^const VERSION="([0-9a-f]{12})"', response.text)
    return str(found)


def test_the_script_changes_with_language_and_theme_but_not_with_the_member(web: Web) -> None:
    ann = web.member("ann")
    assert version(web.client) == version(ann) == version(web.client)
    dark = web.client.application.test_client()
    dark.set_cookie("linnet_theme", "dark")
    others = {version(web.client, **{"Accept-Language": "zh"}), version(dark)}
    assert len(others) == 2 and version(web.client) not in others
    assert ann.get("/offline").text == web.client.get("/offline").text


def test_the_script_names_files_that_are_there(web: Web) -> None:
    text = web.client.get("/service-worker.js").text
    [names] = re.findall(r"FILES=\[([^]]+)\]", text)
    for path in re.findall(r'"([^"]+)"', names):
        response = web.client.get(path)
        assert response.status_code == 200 and "Set-Cookie" not in response.headers
    etag = web.client.get("/service-worker.js").headers["ETag"]
    again = web.client.get("/service-worker.js", headers={"If-None-Match": etag})
    assert (again.status_code, again.data) == (304, b"")


def test_the_offline_page_needs_nothing_but_its_styles(web: Web) -> None:
    for language, title in (("en", "You’re offline"), ("zh", "你已离线")):
        page = web.client.get("/offline", headers={"Accept-Language": language}).text
        assert f"<h1>{title}</h1>" in page and '<a class="button" href="">' in page
        sources = re.findall(r'(?:src|href)="([^"]+)"', page)
        assert len(sources) == 1 and sources[0].startswith("/static/css/")


def test_every_page_registers_the_worker(web: Web) -> None:
    for page in (web.client.get("/").text, web.member("ann").get("/home").text):
        assert len(re.findall(r'src="/static/js/core/offline\.\w+\.js"', page)) == 1


def test_one_icon_may_be_cut_round(web: Web) -> None:
    manifest = web.client.get("/manifest.webmanifest").json
    assert manifest
    purposes = [icon.get("purpose", "any") for icon in manifest["icons"]]
    assert sorted(purposes) == ["any", "any", "maskable"]
    expected = (*("standalone", "/", "/"),)
    assert (manifest["display"], manifest["scope"], manifest["start_url"]) == expected
