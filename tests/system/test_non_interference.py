"""What members do in private changes nothing for others: no response, no header, no stream.

Visitors, and a member who has nothing to do with it, load every page before and after each hidden
act. A cached page that is dropped would show it: by its ETag, or by the date of its rendering.
"""

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, product
from types import SimpleNamespace

import pytest
from werkzeug.datastructures import Headers
from werkzeug.routing import Rule

from tests.conftest import close_app, make_app
from tests.support import pagecache
from tests.support.hidden_acts import ACTS, ActSite, hidden_acts, populate
from tests.support.schema import check_schema
from webapp.config import Config
from webapp.explore import seen
from webapp.explore.suggestions import popular
from webapp.pagecache import response as cache_responses, store as page_store
from webapp.pagecache.store import PageStore
from webapp.registry import REGISTRY
from webapp.statuses.live_counts import changes as live_counts
from webapp.streaming.hub import api_topics, followed_topics, page_topics
from webapp.streaming.hub.hub import Hub
from webapp.streaming.hub.subscriptions import Channel, SubscriptionIndex
from webapp.streaming.hub.topics import Topic
from webapp.streaming.log.messages import Message
from webapp.streaming.log_reader import LogReader
from webapp.streaming.matching.predicates import Predicate

pytestmark = pytest.mark.slow
VISITOR, UNRELATED = "visitor", "sam"
LONG_SECONDS = 86_400  # longer than a test
# Parts of addresses. A route with another part fails, until it has values here.
VALUES = {
    "name": ["marsh"],
    "number": ["1", "2"],
    "tab": ["mentions"],
    "banned": ["terms"],
    "cid": ["64"],
    "message_id": ["1"],
    "day": ["20260101"],
    "file": ["picture.webp"],
    "filename": ["favicon.svg"],
    "form_key": ["draft-of-sam"],
    "sha": ["0" * 64],
    "token": ["none"],
    "key": ["none"],
    "uid": ["1"],
    "page": ["1"],
    "folder": ["1"],
    "member": ["1"],
    "emoji": ["+1"],
    "picture": ["1"],
    "slug": ["birders"],
    **{key: ["1"] for key in ("gid", "quote_id", "group_key", "drop_id", "job_id", "item_id")},
    "act": ["reply", "boost", "like"],
}
QUERIES = (
    "/search?q=song /search?q=psst /search?q=marsh&tab=top /search?q=ann&tab=people "
    "/search?q=marsh&tab=tags /search.atom?q=psst /public?max_id=9007199254740991 "
    "/statuses?ids={ben} /statuses?ids={ann},{ben} /statuses?permalink={ben}&ids={ben} "
    "/@ann?max_id=9007199254740991 /oembed?url=http://linnet.example/@ben/{ben} "
    "/autocomplete/members?q=a /autocomplete/people?q=a /autocomplete/tags?q=m "
    "/autocomplete/search?q=a /search?q=an&tab=people /ann"
)
# Each response has its own: tokens and keys of forms, and the time at which a page was read.
PER_RESPONSE = re.compile(
    r'(name="(?:csrf_token|form|key)"[^>]* value=)"[^"]*"|(Last seen) <time.*?</time>'
    r"|(\?by%3D)[0-9a-f]+"
)
READ_AT = re.compile(r'data-page="(\d+)-0"')
RATE_LIMIT_HEADERS = ("x-ratelimit-reset", "x-ratelimit-remaining")
VARYING_HEADERS = ("date", "x-request-id", "set-cookie", *RATE_LIMIT_HEADERS)
# Events that others may always notice, and by what.
VISIBLE_EVENTS = {
    "joined": "the member is found, and counted in the site map",
    "followed": "the counts of both profiles",
    "unfollowed": "the counts of both profiles",
    "accepted": "the counts of both profiles",
    "follower_removed": "the counts of both profiles",
    "boosted": "the count of boosts, even of a protected member's boost",
    "unboosted": "the count of boosts",
    "reply_hidden": "the reply, which moves to the end of the thread",
    "reply_shown": "the reply",
    "locations_removed": "places on posts",
    "suspended": "the member's pages, which are refused",
    "restored": "the member's pages",
    "limited": "the member's posts, which leave public pages",
    "unlimited": "the member's posts",
    "moderated": "nothing: it follows other events",
    "appealed": "nothing: moderators read it",
    "protected": "the member's posts, which are gone",
    "unprotected": "the member's posts",
    "rank_changed": "the order of people who are found; it follows the counts of profiles",
    "reindex_requested": "nothing: the operator asks for it",
    **dict.fromkeys(
        ("like_checked", "boost_checked", "follow_checked", "block_checked"),
        "what their acts changed, if that was lost",
    ),
    "profile_edited": "the member's name, picture and words",
    "imported": "the member's posts",
    "account_deleted": "the member's pages, which are gone",
    "chat_changed": "the name of an open group",
    "chat_pictures_removed": "nothing: it follows another event",
    "tokens_revoked": "nothing: it follows a new password",
    "checked_in": "the boards",
    "boards_chosen": "the boards",
    "chain_begun": "the pieces that are left of a drop, and what is for sale",
    "traded": "nothing but the member's own notifications",
    "job_posted": "nothing but the notifications of members who show their skills",
    "promotion_changed": "what members are shown among other posts",
    "group_created": "the list of groups",
    "group_members": "the members of an open group",
    "group_invited": "nothing but the invited member's own list and notifications",
    "group_edited": "what the list of groups says",
    "group_closed": "the list of groups",
}
Response = list[object]  # its status, its headers, its lines
Responses = dict[tuple[str, str], Response]  # by viewer and path


@dataclass
class Streams:
    """The open streams of everybody's topics and of the unrelated member's, and their log."""

    site: ActSite
    index: SubscriptionIndex = field(default_factory=SubscriptionIndex)

    def __post_init__(self) -> None:
        """Open a stream of each topic, and go to the end of the log."""
        self._hub = Hub(1, 1)
        self._log = LogReader(self.site.db, self._hub)
        self._read_to = self._log.available_range().newest
        self._channels = {self._open(topic): topic for topic in topics(self.site)}

    def received(self) -> list[tuple[Topic, Message]]:
        """Return what the streams were sent since this was asked last."""
        entries = self._log.after(self._read_to, self._log.available_range().newest)
        assert not [entry for entry in entries if entry.is_public], "quiet streams are told of it"
        found = []
        for item in self._log.messages(entries):
            if isinstance(item, Message):
                assert not item.is_public, item
                self._hub.replay_buffer.add([item])
                subject = self._hub.replay_buffer.subject_of(item)
                is_own = item.recipient == self.site.uids[UNRELATED]
                if not item.recipient or is_own:
                    channels = self.index.channels_for(item, subject)
                    found += [(self._channels[one], item) for one in channels]
            elif item.uid == self.site.uids[UNRELATED]:
                raise AssertionError(item)
        self._read_to = entries[-1].position if entries else self._read_to
        return found

    def _open(self, topic: Topic) -> Channel:
        channel = self.index.open(topic)
        if isinstance(topic, followed_topics.Home):
            self.index.follow(channel, [self.site.uids["ben"]])
        if isinstance(topic, followed_topics.List):
            self.index.follow(channel, [self.site.uids["ann"]])
        return channel


def topics(site: ActSite) -> list[Topic]:
    """Return every topic of a stream that a visitor, or the unrelated member, may read."""
    return [
        page_topics.Public(),
        *(page_topics.Profile(uid) for uid in site.uids.values()),
        page_topics.Tag("marsh"),
        page_topics.Group(1),
        page_topics.Search("psst"),
        *(page_topics.Thread(int(status_id)) for _, status_id in site.posts.values()),
        page_topics.Nothing(),
        page_topics.Chats(),
        followed_topics.Home(site.uids[UNRELATED]),
        followed_topics.List(site.uids["ben"], 1),
        api_topics.Firehose(),
        api_topics.Sample(frozenset(range(1_000))),
        api_topics.Filter(Predicate(phrases=("psst", "song"))),
        api_topics.Filter(Predicate(follow=frozenset(site.uids.values()))),
    ]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The time that cached pages bear, which a test sets. Nothing expires while it runs."""
    clock = SimpleNamespace(now=1_800_000_000)
    monkeypatch.setattr(cache_responses, "time", SimpleNamespace(time=lambda: clock.now))
    store = PageStore.store
    monkeypatch.setattr(
        PageStore, "store", lambda self, key, token, page, _=None: store(self, key, token, page)
    )
    monkeypatch.setattr(page_store, "LEASE_MS", LONG_SECONDS * 1_000)
    monkeypatch.setattr(page_store, "UNCACHEABLE_MS", 1)  # such a page goes one way, not two
    monkeypatch.setattr(seen, "GRACE_SECONDS", LONG_SECONDS)
    monkeypatch.setattr(popular, "SECONDS", LONG_SECONDS)
    monkeypatch.setattr(live_counts, "DELAY_MS", 0)
    return clock


@pytest.fixture
def site(settings: Config, clock: SimpleNamespace) -> Iterator[ActSite]:
    app = make_app(
        replace(settings, inline_projections=False, page_cache_seconds=3_600, page_size=2)
    )
    yield populate(app, app.extensions["linnet.config"])
    check_schema(app.extensions["linnet.db"], with_lives=False)
    close_app(app)


def paths(site: ActSite) -> list[str]:
    """Return the paths of all pages, of each part of an address that VALUES names.

    Without the page that shows a new secret each time.
    """
    rules = [
        rule
        for rule in site.app.url_map.iter_rules()
        if "GET" in (rule.methods or ()) and rule.endpoint != "second_step.set_up"
    ]
    queries = QUERIES.format(**{name: status_id for name, (_, status_id) in site.posts.items()})
    return [*chain(*(paths_of(site, rule) for rule in rules)), *queries.split()]


def paths_of(site: ActSite, rule: Rule) -> set[str]:
    """Return the paths of a route: of some statuses with their authors, or of some members."""
    if "status_id" in rule.arguments:
        rows = [{"login": login, "status_id": int(one)} for login, one in site.posts.values()]
    else:
        rows = [{"login": login} for login in ("ann", "ben", "pia")]
    others = rule.arguments - {"login", "status_id"}
    urls = (
        rule.build(row | dict(zip(others, values, strict=True)), append_unknown=False)
        for row in rows
        for values in product(*(VALUES[name] for name in others))
    )
    return {url[1] for url in urls if url}


def responses(site: ActSite, every_path: list[str]) -> Responses:
    """Return each viewer's response to each path, without what differs in each response."""
    sam = site.clients[UNRELATED]
    found: Responses = {}
    for path in every_path:
        sam.delete_cookie("linnet_form")
        page, _, query = path.partition("?")
        started = int(time.time() * 1000)
        answer = pagecache.send_request(site.app, page, query)
        own = sam.get(path)
        found[VISITOR, path] = stable(answer.status, answer.headers, answer.body, started)
        found[UNRELATED, path] = stable(own.status_code, own.headers, own.data, started)
    return found


def stable(status: int, headers: Headers, body: bytes, started: int) -> Response:
    """Return a response without its own tokens, and without the time at which it was read.

    That is kept if it is before `started` (unix ms): then the page is a copy.
    """
    sent = [pair for pair in headers if pair[0].lower() not in VARYING_HEADERS]
    text = PER_RESPONSE.sub(r"\1\2\3", body.decode("latin-1"))
    text = READ_AT.sub(lambda found: "" if int(found[1]) >= started else found[0], text)
    return [status, *sent, *text.split("\n")]


def differences(before: Responses, after: Responses) -> dict[tuple[str, str], list[object]]:
    """Return the first difference of each response that differs."""
    assert before.keys() == after.keys()
    return {
        key: [pair for pair in zip(old, after[key], strict=False) if pair[0] != pair[1]][:1]
        for key, old in before.items()
        if old != after[key]
    }


@pytest.mark.tables
def test_all_hidden_acts_change_no_response_and_no_stream(
    site: ActSite, clock: SimpleNamespace
) -> None:
    """Every type of event is one of a hidden act, or is listed as one that others see."""
    every_path = paths(site)
    responses(site, every_path)
    clock.now += 1_000
    before = responses(site, every_path)
    streams = Streams(site)
    for act in hidden_acts(site):
        site.settle()
        clock.now += 1_000
        assert streams.received() == [], act
    assert differences(before, responses(site, every_path)) == {}
    known = {name for table in (*REGISTRY.projections.values(), REGISTRY.bulk) for name in table}
    quiet = known - VISIBLE_EVENTS.keys()
    assert quiet - site.event_types == set(), "add them to VISIBLE_EVENTS, or an act to hidden_acts"
    assert site.event_types & known - quiet == set(), "hidden acts emit them: not VISIBLE_EVENTS"
    assert VISIBLE_EVENTS.keys() - known == set(), "no events: take them off VISIBLE_EVENTS"


@pytest.mark.long
@pytest.mark.parametrize("acts", ACTS)
def test_no_hidden_act_changes_a_response(site: ActSite, clock: SimpleNamespace, acts: str) -> None:
    every_path = paths(site)
    responses(site, every_path)
    clock.now += 1_000
    before = responses(site, every_path)
    for act in ACTS[acts](site):
        site.settle()
        clock.now += 1_000
        after = responses(site, every_path)
        assert differences(before, after) == {}, act
        before = after


def test_a_new_name_does_not_tell_where_its_member_wrote(
    site: ActSite, clock: SimpleNamespace
) -> None:
    """A page that leaves a reply out is dropped only once the reply may be seen, or is gone."""
    site.send("zoe", f"/statuses/{site.bens_post}/unlike")  # which names her on the page
    site.post("zoe", "@ben psst", reply=site.bens_post, visibility="mentioned")
    site.post("pia", "@ben psst", reply=site.bens_post)
    site.settle()
    path = f"/@ben/{site.bens_post}"
    responses(site, [path])
    clock.now += 1_000
    before = responses(site, [path])
    for who in ("zoe", "pia"):
        site.send(who, "/settings/profile", name=f"{who} again")
        site.settle()
        clock.now += 1_000
        assert differences(before, responses(site, [path])) == {}, who
    site.send("pia", "/settings/privacy", quote_policy="everyone")
    site.settle()
    assert "pia again" in pagecache.send_request(site.app, path).page.decode()


def test_every_kind_of_stream_is_open(site: ActSite) -> None:
    assert {type(topic) for topic in topics(site)} == set(concrete(Topic))


def concrete(kind: type[Topic]) -> Iterator[type[Topic]]:
    """Yield the kinds of topics below one."""
    for below in kind.__subclasses__():
        if "kind" in vars(below):
            yield below
        yield from concrete(below)
