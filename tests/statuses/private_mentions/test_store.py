"""Private mentions in the store: whom they concern, by conversation, and what is left of them."""

from __future__ import annotations

import pytest

from tests.conftest import ApplyEvents, People
from tests.support import worker
from tests.support.settings import with_settings
from webapp.accounts import lifecycle
from webapp.core.errors import NotFound
from webapp.core.site import Site
from webapp.core.text.parser import parse
from webapp.following.blocks import store as blocks
from webapp.statuses import store as statuses
from webapp.statuses.edits import editing
from webapp.statuses.private_mentions import keys, store
from webapp.statuses.values.visibility import Visibility


def mention(site: Site, uid: int, text: str, reply: int | None = None) -> int:
    """Post a private mention."""
    return statuses.post(
        site, uid, parse(text), f"form-{text}", reply=reply, visibility=Visibility.MENTIONED
    )


def shown(site: Site, uid: int) -> list[tuple[int, bool]]:
    """Return the newest status of each conversation of a member, and whether it is unread."""
    return [(one.last_id, one.unread) for one in site.db.read(store.conversations_of(uid))]


def listed(site: Site, uid: int) -> list[int]:
    """Return the private mentions that a member's page shows."""
    return [item.id for item in store.private_page(site, uid, None).items]


def test_a_conversation_is_one_of_the_same_people_in_a_thread(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    first = mention(site, ann, "@ben one")
    answer = mention(site, ben, "two", first)
    to_three = mention(site, ann, "@ben @cid three", answer)
    for visibility in (Visibility.PUBLIC, Visibility.FOLLOWERS):
        statuses.post(site, ann, parse("@ben"), f"form-{visibility}", visibility=visibility)
    apply_events()
    assert shown(site, ann) == [(to_three, False), (answer, True)]
    assert shown(site, ben) == [(to_three, True), (answer, False)]
    assert shown(site, cid) == [(to_three, True)]
    assert listed(site, ben) == [to_three, answer, first]
    [unread] = site.db.read(store.conversations_of(cid))
    store.mark_read(site, cid, unread)
    assert shown(site, cid) == [(to_three, False)]
    newer = mention(site, ben, "@ann @cid four", to_three)
    apply_events()
    assert shown(site, cid) == [(newer, True)]


def test_what_is_deleted_gives_way_to_what_was_before_it(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    first = mention(site, ann, "@ben one")
    answer = mention(site, ben, "two", first)
    apply_events()
    statuses.delete(site, ben, answer)
    apply_events()
    assert shown(site, ann) == [(first, False)]
    [one] = site.db.read(store.conversations_of(ben))
    store.remove(site.db, ben, one)
    assert shown(site, ben) == [] and shown(site, ann) == [(first, False)]
    with pytest.raises(NotFound):
        store.find_conversation(site.db, ben, one.number)
    again = mention(site, ann, "@ben three", first)
    apply_events()
    assert shown(site, ben) == [(again, True)]


def test_who_may_not_see_it_is_shown_none_of_it(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    posted = mention(site, ann, "@ben @cid hello")
    apply_events()
    revision = statuses.get(site.db, posted, ann).revision
    editing.edit(site, ann, posted, parse("@cid hello"), "", revision)
    apply_events()
    assert listed(site, ben) == [] and listed(site, cid) == [posted]
    assert len(shown(site, ann)) == 1
    blocks.block(site, cid, "ann")
    assert listed(site, cid) == []


def test_the_list_is_bounded_and_goes_with_the_account(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    posted = [mention(site, ann, f"@ben {number}") for number in range(3)]
    worker.drain(with_settings(site, private_mentions_max=2))
    assert listed(site, ben) == posted[:0:-1]
    for one in site.db.read(store.conversations_of(ben)):
        store.mark_read(site, ben, one)
    lifecycle.delete_account(site, ben, None)
    apply_events()
    names = (keys.private_mentions(ben), keys.read_conversations(ben))
    assert site.db.trip(*(("EXISTS", name) for name in names)) == [0, 0]
