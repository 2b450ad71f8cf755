"""Texts of statuses: normalization, weights, and the entities in them."""

from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from webapp.core.text import parser
from webapp.core.text.cleaning import clean_name
from webapp.core.text.parser import (
    Entity,
    Unacceptable,
    extract,
    href,
    parse,
    segments,
    tag_name,
    tag_names,
    weight,
)

# fmt: off
FRAGMENTS = [
    "@ann", "@", "/list", "#tag", "#", "＃", "$ABC", "http://", "https://", "linnet.example.org",
    "a.co", ".", "-", "_", "/way?x=1", "(", ")", "t.co/x", "山", "鸟。", "é", "e\u0301", "🐦",
    "👩‍🔬", "🇮🇸", "\u200f", " ", "\n", "\r", "rt", "7",
]
BLANK = [
    "", " \n\t ", "\u3000", "\u200b\u2060", "\u3164", "\ufe0f",
]
FORBIDDEN = [
    "\0", "\x0b", "\x1b", "\x7f", "\x85", "\ud83d", "\udc26", "\ufffe", "\ufeff", "\uffff",
]
WEIGHTS = [
    ("naïve", 5), ("Привет", 6), ("שלום", 4), ("สวัสดี", 6), ("“so” – it’s", 11), ("안녕", 4),
    ("鳥", 2), ("…", 2), ("ａ", 2), ("e\u0301", 1), ("\u200d", 1), ("\u1100", 2), ("\u10ff", 1),
    ("𝒜", 2),
]
EMOJI = [
    "🐦", "☀️", "👋🏾", "🇮🇸", "8️⃣", "#⃣", "👩🏽‍🚀", "👨‍👩‍👧‍👧", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "🐦‍🔥", "🫱🏽‍🫲🏿", "©️",
]
NO_MENTIONS = [
    "me@home", "@@ann", "#@ann", "&@ann", "@ann@bob", "@année", "@https://a.co", "@", "@-",
    "cart@ann",
]
HASHTAGS = [
    "linnet", "2birds", "_a", "вьюрок", "紅雀", "ホオジロ", "방울새", "قرقف", "ציפור־שיר", "नीलकण्ठ",
    "นกกระจอก", "l·l", "می‌پرد", "χελιδόνι", "ａｂ１", "𐐀", "e\u0301te",
]
NO_HASHTAGS = [
    "#", "# a", "#42", "#_", "no#tag", "字#tag", "&#tag", "#a#b", "#️⃣", "#1️⃣", "#1️⃣a", "#12⃣",
    "#https://a.co", "a.co/#b",
]
URLS = [
    "https://linnet.org", "HTTP://Linnet.Org:8080/a", "linnet.org", "www.linnet.co.uk/nest",
    "http://鳥.jp/a", "http://巣箱.みんな/", "https://a_b.linnet.org/x_(y_(z))",
    "https://linnet.org/?q=a,b&c=(d)-", "https://linnet.org/@ann/1", "linnet.org/Гнездо",
    "http://xn--fsq.com/", "https://linnet.org/a#b", "oiseaux-d-été.fr",
]
NO_URLS = [
    "nest", "nest.txtt", "a.b", "http://nest", "ftp.", "ann@linnet.org", "@linnet.org", "$LN.CA",
    "-.org", "http://-a.org", "http://a-.org", "http://a_b.org", "linnet.org-x",
    "http://" + "a" * 64 + ".org", "http://" + "巣" * 60 + ".org", "https://t.co/" + "x" * 41,
]
HOSTILE = [
    "a.", "(", "@a@a", "#", "http://", "a.co_", "a.co ", "中.a.", "中国.", "-", "_.", "#1", "xn--",
    "@a/", "🇦", "\u200d", "👍🏽", "é", "1\ufe0f",
]
# fmt: on

ANYTHING = st.text(st.characters())  # lone surrogates too

STATUSES = st.lists(st.sampled_from(FRAGMENTS), max_size=14).map("".join)


def entity_texts(text: str, kind: str) -> list[str]:
    return [entity.text for entity in extract(text) if entity.kind == kind]


def refusal_of(text: str, limit: int = 280) -> tuple[str, int]:
    with pytest.raises(Unacceptable) as error:
        parse(text, limit)
    return error.value.reason, error.value.weight


def test_a_text_is_normalized_and_trimmed() -> None:
    status = parse("  Cafe\u0301 at noon\r\nor one\rperhaps \n")
    assert status.text == "Café at noon\nor one\nperhaps"
    assert status.weight == len(status.text)


def test_positions_are_those_in_the_stored_text() -> None:
    status = parse(" \u0065\u0301 #nid ")
    assert status.entities == (Entity("hashtag", "nid", 2, 6),)


def test_positions_count_code_points_also_after_astral_characters() -> None:
    text = "🪶𝒜 @wren saw 𠮷野 at linnet.org #𠮷"
    assert extract(text) == (
        Entity("mention", "wren", 3, 8),
        Entity("url", "linnet.org", 19, 29),
        Entity("hashtag", "𠮷", 30, 32),
    )
    assert all(text[e.start : e.end].endswith(e.text) for e in extract(text))


@pytest.mark.parametrize("blank", BLANK)
def test_an_invisible_text_is_empty(blank: str) -> None:
    assert refusal_of(blank)[0] == "empty"


@pytest.mark.parametrize("bad", FORBIDDEN)
def test_control_characters_lone_surrogates_and_noncharacters_are_forbidden(bad: str) -> None:
    assert refusal_of(f"tweet{bad}tweet")[0] == "forbidden"
    assert refusal_of(bad)[0] == "forbidden"


def test_tabs_and_direction_marks_are_allowed() -> None:
    assert parse("a\tb\u202eabc\u202c \u2067שלום\u2069").weight > 0


def test_a_text_weighs_at_most_280() -> None:
    assert parse("w" * 280).weight == 280
    assert refusal_of("w" * 281) == ("too_long", 281)
    assert parse("鳥" * 140).weight == 280
    assert refusal_of("鳥" * 141) == ("too_long", 282)
    assert refusal_of("birds", limit=4) == ("too_long", 5)


def test_a_text_over_4096_code_points_is_refused_unparsed() -> None:
    assert refusal_of("\0" * 4097) == ("too_long", 4097)


def test_a_url_of_any_length_weighs_23() -> None:
    assert weight("t.co") == weight("https://linnet.org/" + "feather/" * 50) == 23
    assert weight("look: a.co and b.co") == len("look:  and ") + 2 * 23


@pytest.mark.parametrize(("text", "expected"), WEIGHTS)
def test_light_characters_weigh_1_and_others_2(text: str, expected: int) -> None:
    assert weight(text) == expected


@pytest.mark.parametrize("emoji", EMOJI)
def test_an_emoji_weighs_2(emoji: str) -> None:
    assert weight(emoji) == 2
    assert weight(f"up {emoji * 3} up") == len("up  up") + 6


def test_code_points_of_unknown_emoji_weigh_2_each() -> None:
    assert weight("🍕🏽") == 4
    assert weight("🐦\u200d🍕") == 5
    assert weight("©") == 1


def test_mentions_are_found_after_spaces_punctuation_cjk_and_rt() -> None:
    expected = ["ann", "bob", "c_3", "dan", "eve", "fay", "gus"]
    assert entity_texts("@ann, .@bob (@c_3) 見@dan见 RT@eve rt:@fay ＠gus", "mention") == expected


@pytest.mark.parametrize("text", NO_MENTIONS)
def test_lookalikes_of_mentions_are_ignored(text: str) -> None:
    assert entity_texts(text, "mention") == []


def test_a_list_mentions_its_owner() -> None:
    assert extract("see @ann/birds-of-2 now") == (Entity("mention", "ann", 4, 8),)
    assert entity_texts("@ann/2birds", "mention") == ["ann"]
    assert entity_texts("@ann/birds@home", "mention") == []


@pytest.mark.parametrize("tag", HASHTAGS)
def test_a_hashtag_may_be_in_any_script(tag: str) -> None:
    assert (
        entity_texts(f"so #{tag}, yes", "hashtag")
        == entity_texts(f"。＃{tag}!", "hashtag")
        == [tag]
    )


def test_a_hashtag_may_follow_an_emoji() -> None:
    assert entity_texts("☀️#sun 🐦#bird 👋🏾#hi", "hashtag") == ["sun", "bird", "hi"]


@pytest.mark.parametrize("text", NO_HASHTAGS)
def test_lookalikes_of_hashtags_are_ignored(text: str) -> None:
    assert entity_texts(text, "hashtag") == []


def test_a_hashtag_ends_before_a_keycap_and_may_follow_one() -> None:
    assert entity_texts("#top1️⃣ 1️⃣#one", "hashtag") == ["top", "one"]


def test_a_cashtag_has_up_to_six_letters_and_a_suffix() -> None:
    expected = ["LNT", "lnt.ab", "LN_x", "ABCDEF"]
    assert entity_texts("$LNT, $lnt.ab $LN_x\n$ABCDEF.", "cashtag") == expected
    assert entity_texts("$5 $ABCDEFG x$LNT $$LNT $LNT2 $紅", "cashtag") == []


@pytest.mark.parametrize("url", URLS)
def test_a_url_is_found_without_the_punctuation_around_it(url: str) -> None:
    for text in (f"see {url}", f"({url})", f"“{url}”", f"{url}.", f"{url}, then", f"見て{url} よ"):
        start = text.index(url)
        found = [e for e in extract(text) if e.kind == "url"]
        assert found == [Entity("url", url, start, start + len(url))], text


@pytest.mark.parametrize("text", NO_URLS)
def test_lookalikes_of_urls_are_ignored(text: str) -> None:
    assert entity_texts(text, "url") == []


def test_a_shortened_url_ends_with_its_slug() -> None:
    expected = ["https://t.co/Ab9", "https://t.co/Ab9?a=1"]
    assert entity_texts("https://t.co/Ab9's and https://t.co/Ab9?a=1!", "url") == expected


def test_bare_urls_are_found_between_cjk_text() -> None:
    expected = ["linnet.org", "nest.co.uk/a"]
    assert entity_texts("巣はlinnet.orgにある。鳥はnest.co.uk/aへ", "url") == expected


def test_a_link_without_a_scheme_gets_https() -> None:
    assert href("linnet.org/a") == "https://linnet.org/a"
    assert href("HTTP://linnet.org") == "HTTP://linnet.org"
    assert href("javascript:alert(1)").startswith("https://")


def test_segments_are_plain_texts_and_entities_in_order() -> None:
    text = "@ann: #nid!"
    mention, tag = extract(text)
    assert list(segments(text, (mention, tag))) == [
        ("@ann", mention),
        (": ", None),
        ("#nid", tag),
        ("!", None),
    ]


def test_a_name_is_cleaned_to_one_line() -> None:
    assert clean_name(" Ann\n\tde\u3000la  Noe\u0308l\0\u202e \ud800", 20) == "Ann de la Noël"
    assert clean_name("\u200fרון\u200f", 20) == "\u200fרון\u200f"
    for raw, reason in (
        ("\u2066\n\u200b", "empty"),
        ("abcdef", "too_long"),
        ("a" * 9999, "too_long"),
    ):
        with pytest.raises(Unacceptable) as caught:
            clean_name(raw, 5)
        assert caught.value.reason == reason


@pytest.mark.parametrize("end", ["", ".com", ".中.com"])
@pytest.mark.parametrize("start", ["", "http://a.co/", "https://t.co/a?"])
@pytest.mark.parametrize("piece", [*HOSTILE, "(a", "(a(b)", "."])
def test_no_text_makes_the_patterns_backtrack(start: str, piece: str, end: str) -> None:
    # A rule that backtracks would not come to an end with any of these.
    text = start + (piece * 5000)[: 5000 - len(start + end)] + end
    entities = extract(text)
    assert "".join(part for part, _ in segments(text, entities)) == text
    assert weight(text) > 0


@given(ANYTHING | STATUSES)
def test_parse_accepts_or_refuses_any_text(text: str) -> None:
    try:
        status = parse(text)
    except Unacceptable as refused:
        assert refused.reason in ("empty", "too_long", "forbidden")
    else:
        assert parse(status.text) == status
        assert 0 < status.weight <= 280
        assert (weight(status.text), extract(status.text)) == (status.weight, status.entities)
        status.text.encode()


@given(ANYTHING | STATUSES)
def test_entities_are_in_order_and_segments_join_to_the_text(text: str) -> None:
    entities = extract(text)
    assert all(a.end <= b.start for a, b in pairwise(entities))
    assert all(e.text == text[e.start + (e.kind != "url") : e.end] for e in entities)
    assert "".join(run for run, _ in segments(text, entities)) == text
    assert [entity for _, entity in segments(text, entities) if entity] == list(entities)


@given(ANYTHING | STATUSES, ANYTHING | STATUSES)
def test_the_weight_of_a_text_is_the_sum_of_its_words(one: str, other: str) -> None:
    assert weight(f"{one} {other}") == weight(one) + 1 + weight(other)


@given(ANYTHING, st.integers(1, 40))
def test_cleaning_a_name_is_idempotent_and_keeps_the_limit(raw: str, limit: int) -> None:
    try:
        name = clean_name(raw, limit)
    except Unacceptable as refused:
        assert refused.reason in ("empty", "too_long", "handle")
    else:
        assert len(name) <= limit and "\n" not in name and name.strip() == name
        assert clean_name(name, limit) == name
        name.encode()


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Birds", "birds"),
        ("ＢＩＲＤＳ", "birds"),
        ("Straße", "strasse"),
        ("麻雀", "麻雀"),
        ("ΟΔΟΣ", "οδοσ"),
        ("sun\ufe0f", "sun"),
        ("İSTANBUL", "istanbul"),
        ("می\u200cپرد", "میپرد"),
        ("co\u034foperate", "cooperate"),
        ("צה״ל", "צהל"),
        ("Hawaiʻi", "hawaii"),
    ],
)
def test_spellings_of_a_hashtag_have_one_name(written: str, name: str) -> None:
    assert tag_name(written) == tag_name(name) == name


@pytest.mark.parametrize(
    "written", ["", "12", "_", "a b", "a-b", "a.b", "#a", "a\n", "a/b", "{a}", "a:b", "x" * 101]
)
def test_invalid_hashtags_have_no_name(written: str) -> None:
    assert tag_name(written) == ""


def test_a_long_text_is_no_hashtag_and_is_not_kept_in_memory() -> None:
    before = parser._tag_name.cache_info()
    assert tag_name("x" * 100_000) == tag_name("x" + "\u200d" * 100_000) == ""
    assert parser._tag_name.cache_info() == before


@given(st.text(st.characters(codec="utf-8", categories=["L", "M", "Nd"]), max_size=8))
def test_the_name_of_a_hashtag_is_stable_and_bounded(written: str) -> None:
    name = tag_name(written)
    assert tag_name(name) == name and not set(name) & set(" :{}/.\n")


def test_a_text_that_is_far_too_long_for_a_hashtag_is_not_remembered() -> None:
    before = parser._tag_name.cache_info().currsize
    assert tag_name("é" * 30_000) == ""
    assert parser._tag_name.cache_info().currsize == before


def test_tag_names_are_unique() -> None:
    assert tag_names(parse(f"#B #a @c #b #{'x' * 120}").entities) == ("b", "a")
