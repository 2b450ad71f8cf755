"""Posting to groups, and reading them as their pages do."""

import re
from typing import Any

from flask.testing import FlaskClient

from tests.support import paging
from webapp.community.groups import lookup
from webapp.community.groups.posts import entries_read, group_page
from webapp.core.store import Site
from webapp.core.text.parser import parse
from webapp.statuses import store as statuses
from webapp.statuses.visibility import keys as group_keys

NEW = {
    "name": "Birders",
    "slug": "birders",
    "about": "Out early.",
    "kind": "open",
    "voting": "both",
}


def members(site: Site, gid: int) -> list[int]:
    return [int(uid) for uid in site.db.run(("ZRANGE", group_keys.group_members(gid), 0, -1))]


def ids_on(page: str) -> list[str]:
    return re.findall(r'id="status-(\d+)"', page)


def post_to(client: FlaskClient, slug: str, text: str, **fields: str) -> str:
    """Post with the form of a group's page. Return the id."""
    page = client.get(f"/groups/{slug}").text
    gid = re.search(r'name="group" value="(\d+)"', page)
    key = re.search(r'name="key"[^>]*value="([^"]+)"', page)
    assert gid and key
    form = {"text": text, "group": gid[1], "key": key[1], "next": f"/groups/{slug}", **fields}
    response = client.post("/statuses", data=form)
    assert response.location == f"/groups/{slug}", response.text
    return ids_on(client.get(f"/groups/{slug}").text)[0]


def post(site: Site, uid: int, gid: int, text: str = "hello", **options: Any) -> int:
    """Post to a group."""
    key = f"form-{uid}-{gid}-{text}".replace(" ", "-")
    return statuses.post(site, uid, parse(text), key, groups=[gid], **options)


def shown(site: Site, gid: int, viewer: int | None, is_top: bool = False) -> list[int]:
    """Return every id of a group that a viewer can page to, each once, in order."""

    def read(before: Any) -> Any:
        group = site.db.read(lookup.group(gid, viewer))
        entries = site.db.read(entries_read(site, gid, is_top, before))
        return group_page(site, group, entries, viewer).page

    found = paging.ids(read)
    assert len(found) == len(set(found))
    return found
