"""What is read from a page's head, however it is written."""

from __future__ import annotations

import pytest

from webapp.statuses.link_cards.parsing import (
    DESCRIPTION_MAX,
    TITLE_MAX,
    PageHead,
    parse_head,
)

URL = "https://reeds.net/birds/1"


def parse(html: str | bytes, charset: str = "") -> PageHead | None:
    return parse_head(html.encode() if isinstance(html, str) else html, charset, URL)


def title_of(html: str | bytes, charset: str = "") -> str:
    head = parse(html, charset)
    return head.title if head else ""


def test_properties_are_read_with_their_entities() -> None:
    head = parse(
        "<!doctype html><html><head><title>plain</title>"
        '<meta property="og:title" content="Reeds &amp; rushes">'
        "<META CONTENT='A marsh &#8212; by day' NAME=Description>"
        "<meta property=og:image content=/pictures/1.png></head>"
    )
    assert head == PageHead(
        "Reeds & rushes", "A marsh — by day", "https://reeds.net/pictures/1.png"
    )


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<title>Reeds</title>", "Reeds"),
        ("<TITLE lang=en>\n  Reeds\t&lt;b&gt; </TITLE>", "Reeds <b>"),
        ('<meta name="twitter:title" content="T"><title>P</title>', "T"),
        ('<meta property="og:title" content=" "><title>P</title>', "P"),
        ('<meta property="og:title" content="one"><meta property="og:title" content="two">', "one"),
        ('<meta content="a > b" property="og:title">', "a > b"),
        ('<meta content="a <body> b" property="og:title">', "a <body> b"),
        ("<meta property=og:title content='it is \"so\"'/>", 'it is "so"'),
        ("<!-- <title>no</title> --><title>yes</title>", "yes"),
        ("<script>'<title>no</title>'</script><title>yes</title>", "yes"),
        ("<style>/*<title>no</title>*/</style><title>yes</title>", "yes"),
        ("</title><title>yes</title>", "yes"),
        ("1 < 2 <title>yes</title>", "yes"),
        ("<metal><title>yes</title>", "yes"),
        ("<head></head><title>late</title>", ""),
        ("<body><title>late</title>", ""),
        ("<title>no end", ""),
        ("<!-- no end <title>x</title>", ""),
        ("<title>   </title>", ""),
        ("<title>\u200b\u2060</title>", ""),
        ("", ""),
        ("<", ""),
        ("<meta", ""),
        ("just words", ""),
    ],
)
def test_the_title(html: str, title: str) -> None:
    assert title_of(html) == title


def test_control_and_direction_characters_are_left_out() -> None:
    html = "<title>a\u202egnp.exe\x00\u2066b\u2069\r\nc</title>"
    assert title_of(html) == "agnp.exeb c"


def test_texts_are_cut() -> None:
    html = f"<title>{'reed ' * 500}</title><meta name=description content={'x' * 3_000}>"
    head = parse(html)
    assert head is not None
    assert len(head.title) <= TITLE_MAX and head.title.endswith("reed…")
    assert len(head.description) == DESCRIPTION_MAX and head.description.endswith("x…")


@pytest.mark.parametrize(
    ("content", "charset"),
    [
        ("<title>芦苇</title>".encode("gb18030"), "GBK"),
        ('<meta charset="gb2312"><title>芦苇</title>'.encode("gb18030"), ""),
        (b"<meta http-equiv=content-type content='text/html; charset=big5'>"
         + "<title>蘆葦</title>".encode("big5"), ""),
        ("<title>芦苇</title>".encode("utf-16"), ""),
        (b"\xef\xbb\xbf" + "<title>芦苇</title>".encode(), "big5"),
        ("<title>葦</title>".encode("shift_jis"), "shift_jis"),
    ],
)  # fmt: skip
def test_charsets(content: bytes, charset: str) -> None:
    assert title_of(content, charset) in ("芦苇", "蘆葦", "葦")


@pytest.mark.parametrize("charset", ["base64", "punycode", "idna", "zlib", "x", "iso-8859-17", ""])
def test_what_is_no_charset_of_pages_is_ignored(charset: str) -> None:
    html = f'<meta charset="{charset}"><title>Reeds é</title>'
    assert title_of(html, charset) == "Reeds é"


def test_broken_bytes_do_not_stop_it() -> None:
    assert title_of(b"<title>Reeds \xff\xfe\x80</title>").startswith("Reeds")


@pytest.mark.parametrize(
    ("content", "url"),
    [
        ("/a.png", "https://reeds.net/a.png"),
        ("//pictures.net/a.png", "https://pictures.net/a.png"),
        ("javascript:alert(1)", "javascript:alert(1)"),  # the guarded client refuses it
        ("http://[broken", ""),
        ("https://reeds.net/" + "a" * 600, ""),
        (" ", ""),
    ],
)
def test_the_address_of_the_picture(content: str, url: str) -> None:
    head = parse(f'<title>x</title><meta property="og:image" content="{content}">')
    assert head is not None and head.picture_url == url


@pytest.mark.parametrize(
    "part",
    ["<", "<!--", "<meta", "<meta ", '<meta a="', "<meta a='", "<title", "<title>", "<script>",
     "</title", '<meta x="y" ', "<meta " + "a" * 50, "&amp", "<meta a=\"'", "="],
)  # fmt: skip
def test_hostile_pages_are_read_in_linear_steps(part: str) -> None:
    """A parser that looks at each part of such a page again would take minutes."""
    head = parse((part * 300_000)[:262_144] + "<title>end</title>")
    assert head is None or head.title
