"""Whatever members do, what is suggested at rest equals a plain model of it."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

import pytest
from hypothesis import HealthCheck, given, settings as examples, strategies as st

from tests.autocomplete.people import suggested, suggested_tags
from tests.support import worker
from tests.support.world import post
from webapp.accounts import lifecycle, profile
from webapp.autocomplete.members import SHOWN_MAX
from webapp.autocomplete.words import words_of
from webapp.core.errors import Refused
from webapp.core.store import Site
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.following.mutes import store as mutes
from webapp.statuses import store as statuses

LOGINS = ("ann", "anna", "ben", "ANDY", "b_b")
NAMES = ("Ann Lark", "李安娜", "Ben", "Lark 小明")
TAGS = ("lark", "larks", "观鸟")
TYPED = ("", "a", "an", "ann", "b", "ben", "la", "李", "安", "小明", "andy")
Act = tuple[str, int, int]
ACTS = st.lists(
    st.tuples(
        st.sampled_from(
            """follow unfollow block unblock mute unmute mention tag untag rename suspend restore
            delete""".split()
        ),
        st.integers(0, len(LOGINS) - 1),
        st.integers(0, len(LOGINS) - 1),
    ),
    max_size=25,
)


@dataclass
class Person:
    """What the model knows of a member."""

    login: str
    name: str
    hidden: bool = False  # suspended
    gone: bool = False
    follows: dict[int, int] = field(default_factory=dict)  # by the number of the act
    mentioned: dict[int, int] = field(default_factory=dict)
    blocks: set[int] = field(default_factory=set)
    mutes: set[int] = field(default_factory=set)
    tags: dict[str, int] = field(default_factory=dict)


class Model:
    """The plain model: people by their place, and the posts with hashtags."""

    def __init__(self) -> None:
        self.people = [Person(login, login.title()) for login in LOGINS]
        self.posts: list[tuple[int, int, str]] = []  # id, author, hashtag

    def suggested(self, viewer: int, typed: str) -> list[str]:
        """Return the logins that a member is to be suggested."""
        me = self.people[viewer]
        acts = {**me.mentioned}
        for other, at in me.follows.items():
            acts[other] = max(at, acts.get(other, -1))

        def key(other: int) -> tuple[bool, int, bool, int, int]:
            person = self.people[other]
            fans = sum(other in one.follows for one in self.people)
            exact = person.login.lower() != typed
            return (exact, -acts.get(other, -1), other not in me.follows, -fans, other)

        shown = [other for other in range(len(LOGINS)) if self._matches(viewer, other, typed, acts)]
        return [self.people[one].login for one in sorted(shown, key=key)][:SHOWN_MAX]

    def _matches(self, viewer: int, other: int, typed: str, acts: dict[int, int]) -> bool:
        me, person = self.people[viewer], self.people[other]
        if other == viewer or person.hidden or person.gone:
            return False
        if other in me.blocks or viewer in person.blocks:
            return False
        if other in me.mutes:
            return person.login.lower() == typed
        if not typed:
            return other in acts
        return any(word.startswith(typed) for word in words_of(person.login, person.name))

    def tags(self, viewer: int, typed: str) -> list[str]:
        """Return the hashtags that a member is to be suggested."""
        own = sorted(
            (tag for tag in self.people[viewer].tags if tag.startswith(typed)),
            key=lambda tag: -self.people[viewer].tags[tag],
        )
        shown = [
            tag
            for _, author, tag in self.posts
            if not self.people[author].hidden and not self.people[author].gone
        ]
        known = {tag for tag in shown if typed and tag.startswith(typed)} - set(own)
        return own + sorted(known, key=lambda tag: (-shown.count(tag), tag))


class Scene:
    """The store under test, and the model beside it."""

    def __init__(self, site: Site, uids: list[int]) -> None:
        self.site, self.uids, self.model = site, uids, Model()
        self.clock = 0

    def do(self, act: str, one: int, other: int) -> None:
        """Let a member do something, unless the site refuses it."""
        self.clock += 1
        people = self.model.people
        if people[one].gone or (people[one].hidden and act not in ("restore", "delete")):
            return
        with suppress(Refused):
            getattr(self, act)(one, other)
        worker.drain(self.site)

    def follow(self, one: int, other: int) -> None:
        following.follow(self.site, self.uids[one], LOGINS[other])
        if other not in self.model.people[one].follows:
            self.model.people[one].follows[other] = self.clock

    def unfollow(self, one: int, other: int) -> None:
        following.unfollow(self.site, self.uids[one], LOGINS[other])
        self.model.people[one].follows.pop(other, None)

    def block(self, one: int, other: int) -> None:
        blocks.block(self.site, self.uids[one], LOGINS[other])
        self.model.people[one].blocks.add(other)
        self.model.people[one].follows.pop(other, None)
        self.model.people[other].follows.pop(one, None)

    def unblock(self, one: int, other: int) -> None:
        blocks.unblock(self.site, self.uids[one], LOGINS[other])
        self.model.people[one].blocks.discard(other)

    def mute(self, one: int, other: int) -> None:
        mutes.mute(self.site, self.uids[one], LOGINS[other], 3_600)
        self.model.people[one].mutes.add(other)

    def unmute(self, one: int, other: int) -> None:
        mutes.unmute(self.site, self.uids[one], LOGINS[other])
        self.model.people[one].mutes.discard(other)

    def mention(self, one: int, other: int) -> None:
        post(self.site, self.uids[one], f"Hello @{LOGINS[other]}")
        if one != other and not self.model.people[other].gone:
            self.model.people[one].mentioned[other] = self.clock

    def tag(self, one: int, other: int) -> None:
        tag = TAGS[other % len(TAGS)]
        status_id = post(self.site, self.uids[one], f"#{tag}")
        self.model.posts.append((status_id, one, tag))
        self.model.people[one].tags[tag] = self.clock

    def untag(self, one: int, other: int) -> None:
        for found in [entry for entry in self.model.posts if entry[1] == one]:
            statuses.delete(self.site, self.uids[one], found[0])
            self.model.posts.remove(found)

    def rename(self, one: int, other: int) -> None:
        name = NAMES[other % len(NAMES)]
        profile.edit(self.site, self.uids[one], {"name": name})
        self.model.people[one].name = name

    def suspend(self, one: int, other: int) -> None:
        lifecycle.suspend(self.site, self.uids[one])
        self.model.people[one].hidden = True

    def restore(self, one: int, other: int) -> None:
        lifecycle.suspend(self.site, self.uids[one], suspended=False)
        self.model.people[one].hidden = False

    def delete(self, one: int, other: int) -> None:
        lifecycle.delete_account(self.site, self.uids[one], None)
        person = self.model.people[one]
        person.gone = True
        for each in self.model.people:
            for acts in (each.follows, each.mentioned):
                acts.pop(one, None)
        person.follows.clear()
        self.model.posts = [entry for entry in self.model.posts if entry[1] != one]

    def check(self) -> None:
        """Compare what every member is suggested with the model."""
        worker.drain(self.site)
        for viewer, uid in enumerate(self.uids):
            if self.model.people[viewer].gone:
                continue
            for typed in TYPED:
                got, wanted = (
                    suggested(self.site.db, uid, typed),
                    self.model.suggested(viewer, typed),
                )
                assert got == wanted, (LOGINS[viewer], typed)
            for typed in ("", "la", "lark", "larks", "观"):
                got = suggested_tags(self.site.db, uid, typed)
                assert got == self.model.tags(viewer, typed), (LOGINS[viewer], typed)


@pytest.mark.slow
def test_what_is_suggested_equals_the_model(site: Site, people: Callable[..., list[int]]) -> None:
    @examples(max_examples=25, suppress_health_check=list(HealthCheck))
    @given(ACTS)
    def check(acts: list[Act]) -> None:
        site.db.on_every_primary("FLUSHALL")
        scene = Scene(site, people(*LOGINS))
        for act in acts:
            scene.do(*act)
        scene.check()

    check()
