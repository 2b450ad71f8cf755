"""The parameters of the streaming API, and the sentences that refuse bad ones."""

from typing import Any

import pytest
from hypothesis import given, strategies as st

from webapp.streaming.api_v1.parameter_values import BadParameters
from webapp.streaming.api_v1.parameters import Parameters, parse
from webapp.streaming.matching.predicates import Box, Predicate


def common(**values: str) -> Parameters:
    return parse({name: [value] for name, value in values.items()})


def filtered(**values: str) -> Parameters:
    return parse({name: [value] for name, value in values.items()}, filtering=True)


def refusal(filtering: bool = True, **values: str) -> tuple[int, str]:
    with pytest.raises(BadParameters) as refused:
        parse({name: [value] for name, value in values.items()}, filtering=filtering)
    assert str(refused.value) == refused.value.sentence
    return refused.value.status, refused.value.sentence


def test_every_parameter_is_optional_without_a_filter() -> None:
    assert parse({}) == Parameters()
    assert common(delimited="", count=" ", filter_level="", language="", percent="") == Parameters()


@pytest.mark.parametrize("yes", ["true", "True", "1", "t"])
def test_true_may_be_written_in_four_ways(yes: str) -> None:
    assert common(stall_warnings=yes).stall_warnings


@pytest.mark.parametrize("no", ["false", "0", "", "TRUE", "yes", "１"])
def test_everything_else_is_false(no: str) -> None:
    assert not common(stall_warnings=no).stall_warnings


def test_delimited_is_length_or_nothing() -> None:
    assert common(delimited="length").delimited
    assert not common(delimited="true").delimited


def test_unknown_and_filter_parameters_are_ignored() -> None:
    sent = {"with": "followings", "replies": "all", "": "x", "a" * 10_000: "x" * 200_000}
    assert common(track="x" * 200, follow="!", locations="1", **sent) == Parameters()
    assert filtered(track="wren", **sent) == Parameters(phrases=("wren",))


def test_repeated_lists_are_joined_and_other_parameters_overridden() -> None:
    sent = {"track": ["wren", "lark"], "language": ["en", "de"], "count": ["1", "2"], "follow": []}
    parameters = parse(sent, filtering=True)
    assert parameters.phrases == ("lark", "wren")
    assert parameters.languages == {"en", "de"}
    assert parameters.count == 2


@pytest.mark.parametrize(
    ("sent", "count"), [("1", 1), ("+7", 7), ("-150000", -150_000), ("150000", 150_000)]
)
def test_count_is_accepted_within_its_bounds(sent: str, count: int) -> None:
    assert common(count=sent).count == count


@pytest.mark.parametrize(
    "sent", ["0", "-0", "150001", "-150001", "1e3", "1.0", "ten", "١", "9" * 100_000, "--1", "1_0"]
)
def test_invalid_count_is_416(sent: str) -> None:
    status, sentence = refusal(filtering=False, count=sent)
    assert status == 416
    assert sentence.startswith("count is a whole number")


@pytest.mark.parametrize(
    ("sent", "percent"), [("10", 10), ("0.1", 0.1), ("100", 100), ("1e-3", 0.001)]
)
def test_percentage_may_have_decimals(sent: str, percent: float) -> None:
    assert common(percent=sent).percent == percent


@pytest.mark.parametrize(
    "sent", ["0", "-1", "100.1", "nan", "inf", "1e999", "1" * 100_000, "٥", "0x1", "1_0"]
)
def test_invalid_percentage_is_406(sent: str) -> None:
    assert refusal(filtering=False, percent=sent)[0] == 406


def test_language_is_a_tag_and_level_one_of_three() -> None:
    assert common(language="en, zh-TW,de").languages == {"en", "zh-tw", "de"}
    assert common(filter_level="Medium").level == "medium"
    assert refusal(language="en,english!") == (
        406,
        "language: value 2 is no language tag; write one as in BCP 47, such as en or zh-TW.",
    )
    assert refusal(filter_level="high") == (406, "filter_level is one of none, low and medium.")
    assert refusal(language=",".join(["en"] * 101))[0] == 413


@pytest.mark.parametrize(
    "values", [{}, {"track": ""}, {"track": " , ,,"}, {"follow": ","}, {"language": "en"}]
)
def test_filter_needs_track_follow_or_locations(values: dict[str, str]) -> None:
    status, sentence = refusal(**values)
    expected = (406, "Say what to look for: send at least one of track, follow and locations.")
    assert (status, sentence) == expected


def test_track_has_at_most_400_phrases_of_60_bytes() -> None:
    assert filtered(track="x" * 60 + ",手" + "机" * 19).phrases == ("x" * 60, "手" + "机" * 19)
    assert filtered(track=" " + "x" * 60 + " ").phrases
    assert filtered(track="e\u0301" * 30).phrases == ("é" * 30,)
    expected = (406, "track: phrase 2 takes 63 bytes in UTF-8; a phrase has 1 to 60.")
    assert refusal(track="wren," + "机" * 21) == expected
    assert len(filtered(track=",".join(f"t{number}" for number in range(400)) + ",").phrases) == 400
    expected = (413, "track has 401 phrases where at most 400 are taken.")
    assert refusal(track=",".join(["t"] * 401)) == expected


def test_follow_accepts_ids_and_logins() -> None:
    parameters = filtered(follow="12, @Wren ,wren,345,goldfinch_7")
    assert parameters.follow == {12, 345}
    assert parameters.logins == {"wren", "goldfinch_7"}
    assert parameters.predicate([6, 7]) == Predicate(follow=frozenset({6, 7, 12, 345}))
    assert filtered(follow="wren").logins


@pytest.mark.parametrize(
    "sent", ["-1", "wren!", "١٢", "1.5", "9" * 17, "@", "a" * 16, "雀", "1\n2"]
)
def test_invalid_id_or_login_is_406(sent: str) -> None:
    expected = (406, "follow: value 2 is neither a member's id nor a login.")
    assert refusal(follow=f"7,{sent}") == expected


def test_follow_has_at_most_5000_members() -> None:
    everybody = ",".join(str(10**15 + number) for number in range(5_000))
    assert len(filtered(follow=everybody).follow) == 5_000
    expected = (413, "follow has 5,001 members where at most 5,000 are taken.")
    assert refusal(follow=everybody + ",1") == expected


def test_box_is_four_numbers() -> None:
    parameters = filtered(locations="-122.75,36.8,-121.75,37.8, -74,40,-73,+41.")
    assert parameters.boxes == {Box(-122.75, 36.8, -121.75, 37.8), Box(-74, 40, -73, 41)}
    assert filtered(locations="-180,-90,180,90").boxes
    assert filtered(locations="10,10,10.1,10.1").boxes
    assert filtered(locations="-1.5e-05,-.5,1,1").boxes


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        ("1,2,3", "each box takes four numbers: west, south, east, north."),
        (
            "0,0,1,1,170,0,-170,1",
            "box 2 must begin with its south-west corner; its east lies west of its west."
            " Where it crosses the date line, send two boxes, one on either side.",
        ),
        (
            "0,9,1,1",
            "box 1 must begin with its south-west corner; its north lies south of its south.",
        ),
        ("0,0,181,1", "box 1 has a longitude outside -180 to 180; longitude comes first."),
        (
            "40,-100,41,1",
            "box 1 has a latitude outside -90 to 90; longitude comes first, then latitude.",
        ),
        ("0,0,0.05,1", "box 1 is too small: each side takes 0.1 to 360 degrees."),
        ("0,0,1,0", "box 1 is too small: each side takes 0.1 to 360 degrees."),
    ],
)
def test_invalid_box_is_406_with_a_reason(sent: str, sentence: str) -> None:
    assert refusal(locations=sent) == (406, f"locations: {sentence}")


@pytest.mark.parametrize(
    "sent",
    ["nan", "inf", "-inf", "1e999", "١", "x", "1__0", "0x10", "1" * 100_000, "1e", ".", "--1"],
)
def test_invalid_number_of_degrees_is_406(sent: str) -> None:
    expected = (406, "locations: box 1 has something that is no number of degrees.")
    assert refusal(locations=f"{sent},0,1,1") == expected


def test_locations_has_at_most_25_boxes() -> None:
    boxes = ",".join(f"{number},0,{number + 1},1" for number in range(25))
    assert len(filtered(locations=boxes).boxes) == 25
    assert refusal(locations=",".join(["0,0,1,1"] * 26))[0] == 413


@pytest.mark.parametrize("name", ["track", "follow", "locations", "language"])
def test_overlong_parameter_is_refused_unparsed(name: str) -> None:
    status, sentence = refusal(**{name: ",1" * 100_000})
    assert (status, sentence) == (413, f"{name} is too long: at most 131,072 characters are read.")


NAMES = (
    "delimited stall_warnings count percent language filter_level track follow locations".split()
)


@given(
    st.dictionaries(
        st.sampled_from(NAMES), st.lists(st.text(st.characters()) | st.text("0123456789.,-+eE @"))
    )
)
def test_any_input_is_parsed_or_refused_with_a_sentence(values: dict[str, Any]) -> None:
    for filtering in (True, False):
        try:
            assert isinstance(parse(values, filtering=filtering), Parameters)
        except BadParameters as refused:
            assert refused.status in (406, 413, 416)
            assert refused.sentence.endswith(".")
