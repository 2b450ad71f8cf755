"""Where the address of a link ends: scripts, brackets and punctuation."""

import pytest

from webapp.core.text.parser import extract

# fmt: off
WHOLE = [  # scripts that separate words by spaces
    "https://he.wikipedia.org/wiki/ציפור־שיר", "https://ar.wikipedia.org/wiki/قرقف",
    "https://fa.wikipedia.org/wiki/می\u200cپرد", "https://ka.wikipedia.org/wiki/გალობა",
    "https://hi.wikipedia.org/wiki/नीलकण्ठ", "https://el.wikipedia.org/wiki/Χελιδόνι",
    "https://hy.wikipedia.org/wiki/Թռչուն", "https://uk.wikipedia.org/wiki/Ґава",
    "https://am.wikipedia.org/wiki/ወፍ", "https://ta.wikipedia.org/wiki/பறவை",
    "https://vi.wikipedia.org/wiki/Việt", "https://ca.wikipedia.org/wiki/Col·legi",
    "https://linnet.org/?q=птица&n=ציפור", "https://linnet.org/?q=३", "linnet.org/გალობა",
    "https://linnet.org/a_(b)", "https://linnet.org/(a_(b))/c", "https://linnet.org/?q=(a)",
    "https://linnet.org/?a[]=1&b[0]=2", "https://linnet.org/[a]", "https://linnet.org/a'b,c;d:e!f",
    "https://linnet.org/a?b=c#d-é",
]
ENDED = [  # by text in scripts that put no space after a link, and by punctuation
    "鳥がいる", "你好", "นกกระจอก", "ນົກ", "បក្សី", "ငှက်", "안녕", "에", "。再见", "，", "、", "）",
    "」", "】", "…", "……", ".", "...", "!", "?!", ",", ";", ":", "'", '"', "”", "’", "»", ")", "]",
    ").", "!)", "'.", "(see", "[1", "，“a”", "؟", "،", "।", "\ufe0f\u20e3", "🐦", "＃a", "\u200bx",
]
# fmt: on


def urls(text: str) -> list[str]:
    return [entity.text for entity in extract(text) if entity.kind == "url"]


@pytest.mark.parametrize("url", WHOLE)
@pytest.mark.parametrize(
    "around", ["{}", "({})", "“{}”", "{}.", "[{}]", "'{}'", "{}…", "{}。", "{}再"]
)
def test_an_address_goes_on_in_scripts_that_separate_words(url: str, around: str) -> None:
    assert urls(around.format(url)) == [url]


@pytest.mark.parametrize("rest", ENDED)
@pytest.mark.parametrize(
    "url", ["https://linnet.org/a", "https://linnet.org/a?b=c", "linnet.org/é"]
)
def test_an_address_ends_before_text_and_punctuation(url: str, rest: str) -> None:
    assert urls(f"{url}{rest}") == [url]


def test_two_addresses_in_brackets_are_two() -> None:
    assert urls("[https://a.co/x](https://a.co/y)") == ["https://a.co/x", "https://a.co/y"]
