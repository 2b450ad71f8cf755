"""Groups whose home choice is a digest: a line says how many posts are new."""

from __future__ import annotations

import pytest

from tests.community.groups.conftest import MakeGroup
from tests.community.groups.reading import NEW, post, post_to
from tests.conftest import ApplyEvents, People, SignUp
from tests.support.timelines import home
from webapp.community.groups import store
from webapp.community.groups.models import HomeChoice
from webapp.core.errors import Forbidden
from webapp.core.site import Site
from webapp.statuses.visibility.groups import GroupKind
from webapp.timelines.pull.group_digests import digest_marks, group_digests


def counts(site: Site, uid: int) -> dict[str, int]:
    marks = site.db.read(digest_marks(uid, is_on=True))
    return {one.name: one.new_posts for one in group_digests(site.db, uid, marks)}


def test_a_digest_counts_from_the_last_visit_and_shows_no_post(
    site: Site, people: People, make_group: MakeGroup, apply_events: ApplyEvents
) -> None:
    ann, ben, cat = people("ann", "ben", "cat")
    gid = make_group(ann, ben, kind=GroupKind.CLOSED)
    post(site, ann, gid, "before")
    apply_events()
    store.set_home(site, ben, gid, HomeChoice.DIGEST)
    assert counts(site, ben) == {}
    posted = [post(site, ann, gid, f"post {n}") for n in range(3)]
    apply_events()
    assert counts(site, ben) == {"Birders": 3}
    assert set(home(site, ben)).isdisjoint(posted)
    assert counts(site, ann) == counts(site, cat) == {}
    store.visit(site, ben, gid)
    store.visit(site, ann, gid)
    assert counts(site, ben) == counts(site, ann) == {}
    with pytest.raises(Forbidden):
        store.set_home(site, cat, gid, HomeChoice.DIGEST)


def test_removal_ends_the_count_at_once(
    site: Site, people: People, make_group: MakeGroup, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    gid = make_group(ann, ben, kind=GroupKind.CLOSED)
    store.set_home(site, ben, gid, HomeChoice.DIGEST)
    post(site, ann, gid)
    apply_events()
    assert counts(site, ben)
    store.remove(site, ann, gid, ben, "remove")
    assert counts(site, ben) == {}, "before any event is applied"


def test_the_line_is_at_the_top_of_home(member: SignUp) -> None:
    ann, ben = member("ann"), member("ben")
    ann.post("/groups/new", data=NEW)
    ben.post("/groups/birders/join")
    assert ben.post("/groups/birders/home", data={"shown": "maybe"}).status_code == 422
    assert ben.post("/groups/birders/home", data={"shown": "digest"}).status_code == 303
    post_to(ann, "birders", "a song")
    page = ben.get("/home").text
    assert "<b>1</b> new in <bdi>Birders</bdi>" in page
    assert "new in" not in ann.get("/home").text
    assert "a song" in ben.get("/groups/birders").text
    assert "new in" not in ben.get("/home").text
