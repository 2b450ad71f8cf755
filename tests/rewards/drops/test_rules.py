"""The rules of drops: days since joining, and the share for members who never got a piece."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest

from tests.support.concurrently import concurrently
from tests.support.pages import page_text
from tests.support.rewards import PRICE, add_drop, check_conserved, give_points, linnet
from tests.support.world import Web, World
from webapp.accounts import keys as account_keys
from webapp.core.errors import Conflict
from webapp.rewards.drops import keys, store


def test_of_fifty_at_once_no_others_get_a_piece_of_the_share(world: World) -> None:
    uids = world.crowd(12)
    give_points(world, uids)
    drop = add_drop(world, stock=7, share=60)

    def take(number: int) -> int:
        place = number % 12
        return store.take(world, drop, uids[place], is_first=place < 6)

    answers = concurrently(take, 60)
    assert sorted(one for one in answers if isinstance(one, int)) == list(range(1, 8))
    assert {one for one in answers if isinstance(one, str)} <= {
        "drop_again",
        "drop_sold_out",
        "drop_kept",
    }
    world.do(check_conserved, drop, uids)
    got = [not world.db.read(store.never_got(uid)) for uid in uids]
    assert sum(got) == 7 and sum(got[6:]) <= 3
    check_conserved(world, drop, uids)


def test_a_piece_of_the_share_that_is_not_paid_goes_back_into_the_share(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    give_points(world, [ben])
    drop = add_drop(world, stock=1, share=100)
    store.take(world, drop, ann, is_first=True)
    assert world.db.read(store.get(drop)).kept == 0
    world.apply_events()
    assert world.db.read(store.get(drop)).kept == 1
    check_conserved(world, drop, [ann, ben])
    assert world.db.read(store.never_got(ann)), "it was not paid"
    world.refuses(Conflict, store.take, drop, ben, match="drop_kept")
    store.take(world, drop, ben, is_first=True)
    world.apply_events()
    assert not world.db.read(store.never_got(ben))
    world.do(World.delete_account, ben, None)
    assert not world.db.run(("EXISTS", keys.first_piece(ben)))


def test_the_share_is_for_all_once_half_of_the_time_is_over(web: Web) -> None:
    ann = web.member("ann")
    give_points(web, [1], 3 * PRICE)
    ann.post(f"/drops/{add_drop(web, stock=1)}/take")
    drop = add_drop(web, stock=2, share=100, opens=-1_800, closes=1_790)
    text = page_text(ann.get(f"/drops/{drop}"))
    assert "Now all that are left are for everyone." in text and "Pieces left 2 / 2" in text
    assert ann.post(f"/drops/{drop}/take").status_code == 303
    found = web.db.read(store.get(drop))
    assert (found.left, found.kept) == (1, 0)
    early = add_drop(web, stock=2, share=100, opens=-1_790, closes=1_800)
    assert ann.post(f"/drops/{early}/take").status_code == 409


def test_an_open_page_of_a_share_that_is_taken_learns_of_its_end(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    give_points(web, [1, 2], 3 * PRICE)
    ann.post(f"/drops/{add_drop(web, stock=1)}/take")
    drop = add_drop(web, stock=2, share=50, opens=-100, closes=300)
    ben.post(f"/drops/{drop}/take")
    assert "1 of 2 pieces is reserved until" in page_text(ann.get(f"/drops/{drop}"))
    later = time.time() + 150
    monkeypatch.setattr(store, "time", SimpleNamespace(time=lambda: later))
    assert "Now all that are left are for everyone." in page_text(ann.get(f"/drops/{drop}"))


@pytest.mark.parametrize(("age", "is_refused"), [(0, True), (2, True), (3, False), (400, False)])
def test_only_members_of_enough_days_get_a_piece(world: World, age: int, is_refused: bool) -> None:
    (ann,) = world.people("ann")
    drop = add_drop(world, stock=1, days=3)
    if is_refused:
        world.refuses(Conflict, store.take, drop, ann, age, match="drop_too_early")
    else:
        assert store.take(world, drop, ann, age) == 1


def test_a_page_says_its_rules_and_what_is_left_for_the_member(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    first = add_drop(web, stock=1)
    later = add_drop(web, stock=4, opens=60, share=50)
    give_points(web, [1, 2], 3 * PRICE)
    ann.post(f"/drops/{first}/take")
    rule = "for members who have never got one from a drop."
    for one, sentence, left in (
        (ann, "You’ve got one before, so you can only take one of these later.", "2 / 4"),
        (ben, "You’re one of them.", "4 / 4"),
    ):
        text = page_text(one.get(f"/drops/{later}"))
        assert f"{rule} {sentence}" in text and f"Left for you {left}" in text
        assert "2 of 4 pieces are reserved until" in text
    share = add_drop(web, stock=1, share=100)
    assert "1 of 1 left" in page_text(ben.get("/drops"))
    text = page_text(ann.get(f"/drops/{share}"))
    assert "Only reserved pieces left" in text and "can come back" not in text
    assert "Only reserved pieces left" in page_text(ann.get("/drops"))
    refused = ann.post(f"/drops/{share}/take")
    assert refused.status_code == 409
    assert "The pieces that are left are reserved for now" in refused.text
    assert "1 of 1 pieces is reserved until" in text
    assert ben.post(f"/drops/{share}/take").status_code == 303
    assert "There was 1 piece." in page_text(ben.get(f"/drops/{share}/order"))
    assert "All taken" in page_text(ann.get(f"/drops/{share}"))


def test_who_joined_too_lately_reads_why(web: Web) -> None:
    ann = web.member("ann")
    options = ("--price", "5", "--stock", "1", "--days", "1", "--share", "100")
    drop = linnet(web.config, "drops", "add", "Reed map", *options).split()[0]
    text = page_text(ann.get(drop))
    assert "For members who joined at least 1 day ago." in text
    assert "You joined too recently for this drop." in text
    assert "Take one" not in text and "Left for you" not in text
    refused = ann.post(f"{drop}/take")
    assert refused.status_code == 409
    assert "You joined too recently for this drop." in refused.text
    web.db.run(("HINCRBY", account_keys.user(1), "joined", -86_400_000))
    assert "Take one for 5 points" in page_text(ann.get(drop))
    assert ann.post(f"{drop}/take").status_code == 303
