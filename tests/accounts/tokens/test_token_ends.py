"""Access tokens that end by themselves, when their member has said so."""

from datetime import timedelta

import pytest

from tests.conftest import People, SignUp
from tests.support.pages import page_text
from tests.support.settings import with_settings
from webapp.accounts.tokens import apps, keys, store
from webapp.core.errors import Conflict
from webapp.core.store import Site


def test_an_ended_token_opens_nothing_and_makes_room_for_another(
    site: Site, people: People
) -> None:
    [ann] = people("ann")
    site = with_settings(site, tokens_max=2)
    token = store.create(site, ann, "short", lifetime=60)
    lasting = store.create(site, ann, "lasting")
    site.refuses(Conflict, store.create, ann, "third")
    key = keys.token(ann, store.sha_of(token))
    assert 0 < site.db.run(("TTL", key)) <= 60
    assert site.db.run(("TTL", keys.token(ann, store.sha_of(lasting)))) == -1
    site.db.run(("DEL", key))  # as the store does at the end
    assert store.holder(site, token) is None and store.holder(site, lasting)
    assert [one.name for one in store.list_tokens(site.db, ann)] == ["lasting"]
    store.create(site, ann, "third")
    assert site.db.run(("ZCARD", keys.tokens(ann))) == 2


def test_tokens_and_apps_are_listed_in_the_order_that_they_were_made(
    site: Site, people: People
) -> None:
    [ann] = people("ann")
    names = [str(number) for number in range(8)]  # all within a second or two
    for name in names:
        store.create(site, ann, name)
        apps.create(site, ann, name)
    assert [one.name for one in store.list_tokens(site.db, ann)] == names[::-1]
    assert [one.name for one in apps.list_apps(site.db, ann)] == names[::-1]
    store.revoke_before(site, ann, int(site.db.run(("TIME",))[0]))
    assert store.list_tokens(site.db, ann) == []


@pytest.mark.parametrize(("choice", "days"), [("7", 7), ("90", 90), ("never", None), (None, 90)])
def test_a_member_chooses_the_end_and_sees_it(
    member: SignUp, choice: str | None, days: int | None
) -> None:
    ann = member("ann")
    form = {"name": "a", **({"lifetime": choice} if choice else {})}
    page = ann.post("/settings/tokens", data=form)
    assert page.status_code == 201 and ("Ends " in page_text(page)) is bool(days)
    assert page.text.count('name="name"') == 2 and 'value="a"' not in page.text
    [token] = store.list_tokens(ann.application.extensions["linnet.db"], 1)
    assert (token.ends and token.ends - token.created) == (days and timedelta(days))
    refused = ann.post("/settings/tokens", data={"name": "mine", "lifetime": "8"})
    assert refused.status_code == 422 and 'value="mine"' in refused.text
