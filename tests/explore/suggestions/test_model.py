"""At rest, the store's suggestions are those of the model, after the same acts."""

from collections.abc import Callable
from contextlib import suppress
from random import Random

import pytest

from tests.explore.suggestions.model import Model, Row
from tests.support import worker
from tests.support.world import World
from webapp.accounts import lifecycle
from webapp.core.errors import Refused
from webapp.core.store import Db, Site
from webapp.core.text.parser import parse
from webapp.explore.suggestions import store
from webapp.explore.suggestions.jobs import choose
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.following.mutes import store as mutes
from webapp.following.mutes.store import FOREVER
from webapp.statuses import store as statuses
from webapp.timelines.tags import store as tags

LOGINS = [f"m{number}" for number in range(12)]
TAGS = ("birds", "sky", "reeds")
ACTS = 150


class Acts:
    """Does random acts in the store and in the model. Those that the store refuses do not count."""

    def __init__(self, site: Site, uids: list[int], rng: Random) -> None:
        self._site, self._uids, self._rng = site, uids, rng
        self.model = Model()
        self._kinds: list[Callable[[int, int], None]] = [self._follow] * 7
        self._kinds += [self._post, self._follow_tag, self._dismiss] * 2
        self._kinds += [self._unfollow, self._block, self._mute, self._protect]

    def one(self) -> None:
        """Do an act."""
        uid, other = self._rng.sample(self._uids, 2)
        with suppress(Refused):
            self._rng.choice(self._kinds)(uid, other)

    def end_accounts(self) -> None:
        """Suspend a member and delete another."""
        suspended, deleted = self._rng.sample(self._uids, 2)
        lifecycle.suspend(self._site, suspended)
        lifecycle.delete_account(self._site, deleted, None)
        self.model.gone |= {suspended, deleted}
        for follows in self.model.follows.values():
            if deleted in follows:
                follows.remove(deleted)
        self.model.follows.pop(deleted, None)

    def _login(self, uid: int) -> str:
        return LOGINS[self._uids.index(uid)]

    def _follow(self, uid: int, other: int) -> None:
        following.follow(self._site, uid, self._login(other))
        if other in self.model.follows[uid]:
            return
        if other in self.model.protected:
            self.model.requests.add((uid, other))
        else:
            self.model.follows[uid].append(other)

    def _unfollow(self, uid: int, other: int) -> None:
        following.unfollow(self._site, uid, self._login(other))
        self._end(uid, other)

    def _end(self, uid: int, other: int) -> None:
        if other in self.model.follows[uid]:
            self.model.follows[uid].remove(other)
        self.model.requests.discard((uid, other))

    def _post(self, uid: int, _: int) -> None:
        tag = self._rng.choice(TAGS)
        statuses.post(self._site, uid, parse(f"hello #{tag}"), f"form-{uid}-{tag}")
        self.model.posts.append((uid, tag))

    def _follow_tag(self, uid: int, _: int) -> None:
        tag = self._rng.choice(TAGS)
        tags.follow(self._site, uid, tag)
        self.model.tags[uid].append(tag)

    def _dismiss(self, uid: int, other: int) -> None:
        store.dismiss(self._site.db, uid, self._login(other))
        self.model.dismissed.add((uid, other))

    def _block(self, uid: int, other: int) -> None:
        blocks.block(self._site, uid, self._login(other))
        self.model.blocks.add((uid, other))
        self._end(uid, other)
        self._end(other, uid)

    def _mute(self, uid: int, other: int) -> None:
        mutes.mute(self._site, uid, self._login(other), FOREVER, False)
        self.model.mutes.add((uid, other))

    def _protect(self, uid: int, _: int) -> None:
        if len(self.model.protected) < 2:
            worker.drain(self._site)  # or a new follow would turn into a request
            lifecycle.protect(self._site, uid)
            self.model.protected.add(uid)


def stored(db: Db, uid: int) -> list[Row]:
    return [(one.uid, one.why.value) for one in choose(db, uid)]


@pytest.mark.parametrize("seed", range(3))
def test_suggestions_are_those_of_the_model(world: World, seed: int) -> None:
    uids = world.people(*LOGINS)
    acts = Acts(world, uids, Random(seed))
    for number in range(ACTS):
        acts.one()
        if number % 30 == 0:
            world.apply_events()
    world.apply_events()
    model = acts.model
    found = {uid: stored(world.db, uid) for uid in uids}
    assert found == {uid: model.suggestions(uid) for uid in uids}
    assert sum(map(len, found.values())) > len(uids), "there is something to compare"
    assert len({reason for rows in found.values() for _, reason in rows}) > 1
    acts.end_accounts()
    world.apply_events()
    left = [uid for uid in uids if uid not in model.gone]
    assert {uid: stored(world.db, uid) for uid in left} == {
        uid: model.suggestions(uid) for uid in left
    }
