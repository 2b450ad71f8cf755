"""Filters: their rules by example, and the index compared with a reference matcher."""

import pickle
import unicodedata
from typing import Any

import pytest
from hypothesis import event, example, given, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.conftest import long
from tests.support.state_machines.runs import run_steps
from tests.support.streaming.reference_matcher import ParsedStatus, Query
from webapp.core.text.parser import extract
from webapp.streaming.api_v1.parameter_values import BadParameters
from webapp.streaming.api_v1.parameters import Parameters, parse
from webapp.streaming.matching import terms
from webapp.streaming.matching.matcher import Matcher
from webapp.streaming.matching.predicates import Box, Predicate
from webapp.streaming.matching.terms import Subject

WREN, LARK, FINCH, OWL = 1, 2, 3, 4


def subject(text: str = "", author: int = WREN, **more: Any) -> Subject:
    text = unicodedata.normalize("NFC", text)
    return Subject(64, author, text, extract(text), **more)


def tracking(track: str) -> Predicate:
    return parse({"track": [track]}, filtering=True).predicate()


def asking(**more: Any) -> Predicate:
    return Parameters(**more).predicate()


def matches(predicate: Predicate, subject: Subject) -> bool:
    """Match a predicate against a subject; assert that the index agrees."""
    matcher: Matcher[str] = Matcher()
    matcher.add("me", predicate)
    result = predicate.matches(subject)
    assert matcher.match(subject) == ({"me"} if result else set())
    return result


@pytest.mark.parametrize(
    ("track", "text"),
    [
        *(
            ("Twitter", text)
            for text in ("TWITTER", '"Twitter"', "“Twitter”", "twitter.", "#twitter", "@twitter")
        ),
        ("Twitter", "see http://twitter.com"),
        ("Twitter", "Twitter's new design"),
        ("Twitter's", "I like Twitter's new design"),
        *(
            ("twitter api,twitter streaming", text)
            for text in ("The Twitter API is awesome", "streaming on twitter")
        ),
        ("example.com", "Some day I will visit example.com"),
        ("example.com", "It was at http://www.example.com/ then"),
        ("http://example.com", "It was at http://example.com then"),
        ("https://example.com/a", "It was at example.com/a then"),
        ("https://x.co", "x.co"),
        ("www.com", "www.com"),
        ("example.com/foobarbaz", "example.com/foobarbaz"),
        ("example.com/foobarbaz", "www.example.com/FooBarBaz"),
        *(
            ("example com", text)
            for text in ("example.com", "www.example.com/x", "foo.example.com/bar")
        ),
        ("example com", "another example of a dot com boom!"),
        ("hello.", "My brother says hello."),
        ("c++", "Is it (C++)?"),
        ("$aapl,nothing", "Fell again: $AAPL"),
        ("aapl", "Fell again: $AAPL"),
        ("straße", "STRASSE"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος"),
        ("touche\u0301", "TOUCHÉ"),
        ("istanbul", "ISTANBUL"),
        ("paral·lel", "#Paral·lel"),
        ("हिन्दी", "यह हिन्दी है।"),
        ("تويتر", "\u200fتويتر، نعم"),
        ("שלום", "#שלום"),
        ("🐦", "a bird🐦🐦"),
        ("❤️", "with ❤"),
        ("👩\u200d💻", "👩\u200d💻!"),
        ("手机", "我的手机壳"),
        ("手机", "#买手机了"),
        ("手机", "新手机.com"),
        ("春", "早春二月"),
        ("我们是谁", "我们是谁？"),
        ("iPhone手机", "新IPHONE手机壳"),
        ("iphone", "新iPhone手机"),
        ("ひばり", "空にひばりが"),
        ("ラーメン", "ラーメン屋"),
        ("종달새", "종달새가 운다"),
        ("春 bird", "A bird in 早春"),
        ("乔丹", "迈克尔·乔丹"),
    ],
)
def test_track_matches_whole_words(track: str, text: str) -> None:
    assert matches(tracking(track), subject(text))
    assert ParsedStatus(subject(text)).tracked(Query(track))


@pytest.mark.parametrize(
    ("track", "text"),
    [
        ("Twitter", "TwitterTracker"),
        ("Twitter", "#newtwitter"),
        ("Twitter", "twitter_api"),
        ("Twitter's", "Some day I'd like to visit @Twitter's office"),
        ("twitter api,twitter streaming", "I'm new to Twitter"),
        ("example.com", "There is no example.com/foobarbaz"),
        ("example.com/foobarbaz", "example.com"),
        ("www.example.com/foobarbaz", "www.example.com/foobarbaz"),
        ("http://example.com", "https://example.com"),
        ("http", "http://example.com"),
        ("www", "www.example.com"),
        ("hello.", "hello"),
        ("#twitter", "#twitter"),
        ("@twitter", "@twitter"),
        ("touche", "touché"),
        ("touché", "touche"),
        ("istanbul", "İstanbul"),
        ("ｔｗｉｔｔｅｒ", "twitter"),
        ("हिन्द", "हिन्दी"),
        ("می", "می\u200cروم"),
        (".", "example.com"),
        ("手机", "手 机"),
        ("手机壳", "手机 机壳"),
        ("iPhone手机", "myiPhone手机"),
        ("か", "が"),
    ],
)
def test_track_does_not_match_parts_of_words(track: str, text: str) -> None:
    assert not matches(tracking(track), subject(text))
    assert not ParsedStatus(subject(text)).tracked(Query(track))


def test_track_comma_means_or_and_space_means_and() -> None:
    predicate = tracking("wren song,lark")
    assert predicate == tracking(" LARK , song  Wren,lark,")
    assert matches(predicate, subject("the song of a wren"))
    assert matches(predicate, subject("a lark"))
    assert not matches(predicate, subject("a wren"))


def test_follow_matches_statuses_boosts_and_replies_but_no_mentions() -> None:
    predicate = asking(follow=frozenset({WREN}))
    assert matches(predicate, subject("mine", WREN))
    assert matches(predicate, subject("boosted by me", WREN, boosted_author=LARK))
    assert matches(predicate, subject("of mine, boosted", LARK, boosted_author=WREN))
    assert matches(predicate, subject("a reply to me", LARK, reply_to=WREN))
    assert not matches(predicate, subject("hello @wren", LARK, reply_to=OWL))


def test_protected_statuses_match_nothing() -> None:
    everything = asking(
        phrases=("wren",), follow=frozenset({WREN}), boxes=frozenset({Box(-180, -90, 180, 90)})
    )
    assert matches(everything, subject("wren", WREN, point=(0.0, 0.0)))
    assert not matches(everything, subject("wren", WREN, point=(0.0, 0.0), protected=True))


@pytest.mark.parametrize(
    "box",
    [
        Box(-74, 40, -73, 41),
        Box(-180, -90, 180, 90),
        Box(-74.1, 40.5, -73.9, 40.6),
        Box(-74, 0.3, -73.9, 90),
    ],
)
def test_box_matches_points_inside_and_on_its_edges(box: Box) -> None:
    predicate = asking(boxes=frozenset({box}))
    middle = (box.south + box.north) / 2, (box.west + box.east) / 2
    for point in [middle, (box.south, box.west), (box.north, box.east), (box.south, box.east)]:
        assert matches(predicate, subject(point=point))
    for point in [(box.north + 0.001, box.east), (box.south, box.west - 0.001)]:
        assert not matches(predicate, subject(point=point))
    assert not matches(predicate, subject())


def test_language_matches_regional_variants() -> None:
    english = asking(phrases=("wren",), languages=frozenset({"en", "zh-tw"}))
    assert matches(english, subject("wren", lang="en"))
    assert matches(english, subject("wren", lang="en-GB"))
    assert matches(english, subject("wren", lang="zh-TW"))
    assert not matches(english, subject("wren", lang="zh"))
    assert not matches(english, subject("wren", lang=""))
    assert not matches(english, subject("lark", lang="en"))


def test_each_filter_level_excludes_more() -> None:
    plain, reply = subject("wren"), subject("wren", reply_to=OWL)
    sensitive = subject("wren", sensitive=True)
    none, low, medium = (
        asking(phrases=("wren",), level=level) for level in ("none", "low", "medium")
    )
    assert [matches(none, s) for s in (plain, reply, sensitive)] == [True, True, True]
    assert [matches(low, s) for s in (plain, reply, sensitive)] == [True, True, False]
    assert [matches(medium, s) for s in (plain, reply, sensitive)] == [True, False, False]


def test_subscriber_has_one_filter_and_leaves_nothing_behind() -> None:
    matcher: Matcher[int] = Matcher()
    empty = pickle.dumps(matcher)
    box = frozenset({Box(0, 0, 1, 1), Box(-9, -9, 9, 9)})
    asks = [
        tracking("wren,wren song,手机,我们是谁,example.com,:),wren lark"),
        tracking("wren,song wren,lark"),
        asking(follow=frozenset({WREN, LARK}), boxes=box),
        asking(follow=frozenset({WREN}), boxes=box),
    ]
    for number in range(40):
        matcher.add(number, asks[number % 4])
    assert len(matcher) == 40
    assert matcher.match(subject("wren", OWL)) == {n for n in range(40) if n % 4 < 2}
    matcher.add(0, tracking("lark"))
    assert 0 not in matcher.match(subject("wren", OWL))
    for number in range(41):
        matcher.remove(number)
    assert pickle.dumps(matcher) == empty


def test_shared_phrase_stays_when_one_subscriber_leaves() -> None:
    matcher: Matcher[str] = Matcher()
    matcher.add("one", tracking("wren song,lark"))
    matcher.add("two", tracking("wren song"))
    matcher.remove("one")
    assert matcher.match(subject("song of a wren")) == {"two"}


def test_common_word_in_phrases_does_not_slow_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    matcher: Matcher[int] = Matcher()
    for number in range(3_000):
        matcher.add(number, tracking(f"nightingale n{number}"))
    searched_phrases, phrase_matches = [], terms.phrase_matches

    def record(phrase: Any, searched: Any) -> Any:
        searched_phrases.append(phrase)
        return phrase_matches(phrase, searched)

    monkeypatch.setattr(terms, "phrase_matches", record)
    assert matcher.match(subject("a nightingale n7 sings")) == {7}
    assert len(searched_phrases) < 10


WORDS = [
    *["wren", "WREN", "Wrens", "song", "a", "example", "com", "new_wren", "m²", "7", "x"],
    *[
        "touché",
        "touche\u0301",
        "TOUCHE",
        "straße",
        "STRASSE",
        "İstanbul",
        "istanbul",
        "ısı",
        "ISI",
        "Σίσυφος",
        "σίσυφοσ",
    ],
    *[
        "تويتر",
        "می\u200cروم",
        "می",
        "שלום",
        "हिन्दी",
        "हिन्द",
        "क्षि",
        "ไทย",
        "paral·lel",
        "ﬁn",
        "fin",
    ],
    *[
        "手机",
        "手",
        "机壳",
        "我的手机壳",
        "ひばり",
        "ガ",
        "ガ",
        "カ",
        "ラーメン",
        "ﾗｰ",
        "々",
        "종달새",
        "새",
        "ᄀ",
        "가",
    ],
    *["🐦", "👩\u200d💻", "💻", "❤️", "❤", "👍🏽", "🇩🇪", "½", "$AAPL", "$"],
]
GLUE = [
    "",
    "",
    " ",
    " ",
    " ",
    "\n",
    "\u3000",
    ".",
    ",",
    "'",
    "’",
    "-",
    "/",
    ":",
    "...",
    "(",
    "\u200f",
    "\u200d",
    "。",
    "·",
    "・",
    "_",
]
URLS = [
    "http://www.example.com",
    "example.com/",
    "EXAMPLE.com/x",
    "www.com",
    "https://手机.com/wren",
    "a.example.com?q=wren",
    "wren.com:80/a/",
]
TAGS = [
    "#wren",
    "#Wrens",
    "@wren",
    "@song",
    "#我的手机壳",
    "＃手机",
    "#שלום",
    "#paral·lel",
    "@wren/song",
    "#new_wren",
]
POINTS = [-180.0, -90.0, -74.0, -0.1, 0.0, 0.1, 0.125, 0.3, 8.0, 10.0, 10.1, 89.9, 90.0, 180.0]

pieces = (
    st.sampled_from(WORDS) | st.sampled_from(URLS) | st.sampled_from(TAGS) | st.sampled_from(WORDS)
)
texts = st.lists(st.tuples(pieces, st.sampled_from(GLUE)), max_size=8).map(
    lambda parts: "".join(map("".join, parts))
)
slices = st.tuples(texts, st.integers(0, 20), st.integers(1, 8)).map(
    lambda cut: cut[0][cut[1] : cut[1] + cut[2]]
)
shown_urls = st.sampled_from(URLS).map(lambda url: url.replace("www.", ""))
tracked = st.sampled_from(WORDS) | slices | shown_urls | texts.map(lambda text: text[:12])
phrases = st.lists(tracked, min_size=1, max_size=3).map(" ".join) | st.sampled_from(
    ["a wren", "m² 手机", "a-wren"]
)
uids = st.integers(0, 4)


@st.composite
def boxes(draw: st.DrawFn) -> tuple[float, float, float, float]:
    longs = sorted(draw(st.lists(st.sampled_from(POINTS), min_size=2, max_size=2, unique=True)))
    lats = sorted(
        draw(
            st.lists(
                st.sampled_from([p for p in POINTS if abs(p) <= 90]),
                min_size=2,
                max_size=2,
                unique=True,
            )
        )
    )
    return longs[0], lats[0], longs[1], lats[1]


asks = st.builds(
    Query,
    track=st.lists(phrases, max_size=4).map(",".join),
    follow=st.frozensets(st.integers(1, 4), max_size=2),
    boxes=st.lists(boxes(), max_size=2).map(tuple),
    languages=st.sampled_from([(), (), (), ("en",), ("zh-TW", "EN")]),
    level=st.sampled_from(["none", "none", "low", "medium"]),
)
subjects = st.builds(
    subject,
    texts,
    author=st.integers(1, 4),
    lang=st.sampled_from(["", "en", "en-GB", "zh-TW", "zh"]),
    point=st.none()
    | st.tuples(st.sampled_from([p for p in POINTS if abs(p) <= 90]), st.sampled_from(POINTS)),
    reply_to=uids,
    boosted_author=uids,
    sensitive=st.sampled_from([False, False, True]),
    protected=st.sampled_from([False, False, False, True]),
)


def predicate_of(ask: Query) -> Predicate | None:
    """Parse parameters into a predicate; None if they are invalid."""
    sent = {
        "track": [ask.track],
        "follow": [",".join(map(str, ask.follow))],
        "locations": [",".join(str(side) for box in ask.boxes for side in box)],
        "language": [",".join(ask.languages)],
        "filter_level": [ask.level],
    }
    try:
        return parse(sent, filtering=True).predicate()
    except BadParameters:
        return None


@pytest.mark.parametrize("examples", [150, long(600)])
def test_predicate_agrees_with_the_reference_matcher(examples: int) -> None:
    @settings(max_examples=examples)
    @given(asks, subjects)
    @example(Query(track="https://example.com"), subject("example.com/"))
    @example(Query(track="wren\u200d"), subject("wren\u200d🐦"))
    def agree(ask: Query, subject: Subject) -> None:
        predicate = predicate_of(ask)
        if predicate is not None:
            result = matches(predicate, subject)
            event(f"matches: {result}")
            assert result == ParsedStatus(subject).matches(ask)

    agree()


class SubscriberMachine(RuleBasedStateMachine):
    """Subscribers come, change their filters and go; each status reaches the right ones."""

    def __init__(self) -> None:
        super().__init__()
        self.matcher: Matcher[int] = Matcher()
        self.asks: dict[int, Query] = {}

    @rule(who=st.integers(0, 9), what=st.lists(asks, min_size=1, max_size=4))
    def come(self, who: int, what: list[Query]) -> None:
        for number, ask in enumerate(what):
            if (predicate := predicate_of(ask)) is not None:
                self.matcher.add(who + number, predicate)
                self.asks[who + number] = ask

    @rule(who=st.integers(0, 12), other=st.integers(0, 12))
    def ask_the_same_as_another(self, who: int, other: int) -> None:
        predicate = predicate_of(self.asks.get(other, Query()))
        if predicate is not None:
            self.matcher.add(who, predicate)
            self.asks[who] = self.asks[other]

    @rule(who=st.integers(0, 12))
    def go(self, who: int) -> None:
        self.matcher.remove(who)
        self.asks.pop(who, None)

    @rule(what=st.lists(subjects, min_size=1, max_size=4))
    def post(self, what: list[Subject]) -> None:
        for one in what:
            reading = ParsedStatus(one)
            found = self.matcher.match(one)
            assert found == {who for who, ask in self.asks.items() if reading.matches(ask)}

    @invariant()
    def all_who_came_are_there(self) -> None:
        assert len(self.matcher) == len(self.asks)

    def teardown(self) -> None:
        for who in self.asks:
            self.matcher.remove(who)
        assert pickle.dumps(self.matcher) == pickle.dumps(Matcher())


@pytest.mark.slow
@pytest.mark.parametrize("examples", [20, long(60)])
def test_each_status_reaches_the_right_subscribers(examples: int) -> None:
    run_steps(SubscriberMachine, examples, steps=15)
