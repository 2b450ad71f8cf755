"""What is read from a page's head, however it is written."""

import pytest

from webapp.statuses.link_cards.parsing import DESCRIPTION_MAX, TITLE_MAX, PageHead, parse_head

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


def test_a_title_without_an_end_of_its_tag_is_none() -> None:
    head = parse("<p>words</p><title</title><title>Birds</title>")
    assert head and head.title == "Birds"


def test_control_and_direction_characters_are_left_out() -> None:
    html = "<title>a\u202egnp.exe\x00\u2066b\u2069\r\nc</title>"
    assert title_of(html) == "agnp.exeb c"


def test_texts_are_cut() -> None:
    html = f"<title>{'reed ' * 500}</title><meta name=description content={'x' * 3_000}>"
    head = parse(html)
    assert head is not None
    assert len(head.title) <= TITLE_MAX and head.title.endswith("reed…")
    assert len(head.description) == DESCRIPTION_MAX and head.description.endswith("x…")


# Bytes that are one thing in the charset of the label and another, or nothing, in Python's codec of
# that name; and what browsers read.
AS_BROWSERS = [
    ("shift_jis", b"\x87\x40\x87\x8a\xfb\xfc", "①㈱髙"),
    ("x-sjis", b"\x81\x60\xfa\xb1", "～﨑"),
    ("euc-jp", b"\xad\xa1\xad\xea\xb0\xb1\xfc\xe2\x8f\xb0\xa1", "①㈱葦髙丂"),
    ("x-euc-jp", b"\xa4\xa2\xf9\xa1a", "あ纊a"),
    ("iso-2022-jp", b"\x1b(I1\x1b(B", "ｱ"),
    ("euc-kr", b"\x8c\x63\x94\xee", "똠뷁"),
    ("ks_c_5601-1987", b"\x8c\x63\xb9\xe6", "똠방"),
    ("korean", b"\xb0\xa1\x81\x41", "가갂"),
    ("gb2312", b"\xe9\x46\x80\xfd\x9b", "镕€龥"),
    ("GBK", b"\x95\x32\x82\x36", "𠀀"),
    ("x-gbk", b"\x81\x40", "丂"),
    ("gb_2312-80", b"\x81\x39\xee\x39\xc2\xab", "㐀芦"),
    ("big5", b"\xf9\xd6\x95\xfe", "碁𩂰"),
    ("big5-hkscs", b"\xfb\xfe", "𨒂"),
    ("x-x-big5", b"\xc4\xaa\xc8\x7a", "蘆𠃌"),
    ("latin1", b"\x80\x93caf\xe9\x94", "€“café”"),
    ("iso-8859-1", b"\x85\x92", "…’"),
    ("us-ascii", b"\x96", "–"),
    ("iso-8859-9", b"\x80\xfe", "€ş"),
    ("iso-8859-11", b"\x80\xa1", "€ก"),
    ("tis-620", b"\x85\xa1", "…ก"),
    ("cp1251", b"\xd2\xf0\xee\xf1\xf2\xed\xe8\xea", "Тростник"),
    ("x-cp1250", b"\x8a\x9e", "Šž"),
    ("koi8", b"\xf4\xf2", "ТР"),
    ("dos-874", b"\x80", "€"),
    ("x-mac-roman", b"\x8e\xdb", "é€"),
    ("unicode-1-1-utf-8", "芦苇".encode(), "芦苇"),
]

PAGES = [
    b"<title>%(text)s</title>",
    b"<meta charset='%(label)s'><title>%(text)s</title>",
    b'<META content="a;Charset = %(label)s" http-equiv=Content-Type><title>%(text)s</title>',
    b'<?xml version="1.0" encoding="%(label)s"?><title>%(text)s</title>',
    b"<!-- <meta charset=utf-8> --><script charset='utf-8'></script>"
    b"<meta name=a content='charset=utf-8'><meta charset=%(label)s ><title>%(text)s</title>",
]


@pytest.mark.parametrize(("label", "text", "title"), AS_BROWSERS)
def test_charsets_are_read_as_browsers_read_them(label: str, text: bytes, title: str) -> None:
    for page in PAGES:
        content = page % {b"label": label.encode(), b"text": text}
        assert title_of(content, "" if b"%(label)s" in page else label) == title, page


@pytest.mark.parametrize("charset", ["big5", "utf-16be", ""])
@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + "<meta charset=gbk><title>芦苇</title>".encode(),
        "\ufeff<meta charset=gbk><title>芦苇</title>".encode("utf-16-le"),
        "\ufeff<meta charset=gbk><title>芦苇</title>".encode("utf-16-be"),
    ],
)
def test_a_byte_order_mark_counts_before_all_names(content: bytes, charset: str) -> None:
    assert title_of(content, charset) == "芦苇"


def test_the_header_counts_before_the_page() -> None:
    assert title_of(b"<meta charset=utf-8><title>\xb2</title>", "koi8-r") == "╡"
    assert title_of("<title>芦苇</title>".encode("utf-16-le"), "utf-16") == "芦苇"


@pytest.mark.parametrize("charset", ["utf-16", "utf-16be", "unicode"])
def test_a_page_that_can_name_utf16_is_not_in_it(charset: str) -> None:
    assert title_of(f"<meta charset={charset}><title>芦苇</title>".encode()) == "芦苇"


@pytest.mark.parametrize(
    "charset",
    ["base64", "punycode", "idna", "zlib", "utf-7", "x", "iso-8859-17", "cp037", "utf-8\0", ""],
)
def test_what_is_no_charset_of_pages_is_ignored(charset: str) -> None:
    html = f'<meta charset="{charset}"><title>Reeds é</title>'
    assert title_of(html, charset) == "Reeds é"


@pytest.mark.parametrize("charset", ["hz-gb-2312", "iso-2022-kr", "iso-2022-cn"])
def test_charsets_that_browsers_no_longer_read_give_no_title(charset: str) -> None:
    assert parse(b"<title>~{VP~}</title>", charset) is None


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
     "<title</title&", "</title", '<meta x="y" ', "<meta " + "a" * 50, "&amp", "<meta a=\"'", "="],
)  # fmt: skip
def test_hostile_pages_are_read_in_linear_steps(part: str) -> None:
    """A parser that looks at each part of such a page again would take minutes."""
    head = parse((part * 300_000)[:262_144] + "<title>end</title>")
    assert head is None or head.title
