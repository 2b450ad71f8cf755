"""Parts of request bodies that are too long, however the body is cut into pieces."""

from contextlib import closing
from io import BytesIO

from hypothesis import given, strategies as st
from werkzeug.formparser import MultiPartParser

from webapp.core.forms import part_trimmer
from webapp.core.forms.part_trimmer import PartTrimmer

PART_MAX = 50
TYPE = "multipart/form-data; boundary=----x-1"
HEAD = b'------x-1\r\nContent-Disposition: form-data; name="%s"%s\r\n\r\n'


def make_body(parts: list[tuple[str, bytes, bool]]) -> bytes:
    """Return a body of fields and files."""
    pieces = [
        HEAD % (name.encode(), b'; filename="a.png"' if is_file else b"") + content + b"\r\n"
        for name, content, is_file in parts
    ]
    return b"".join(pieces) + b"------x-1--\r\n"


def trim(body: bytes, sizes: list[int]) -> bytes:
    """Return what a trimmer leaves of a body that comes in pieces of these sizes, then the rest."""
    trimmer = PartTrimmer.for_content_type(TYPE, PART_MAX)
    assert trimmer
    trimmed, position = b"", 0
    for size in sizes:
        trimmed += trimmer.feed(body[position : position + size], more_body=True)
        position += size
    return trimmed + trimmer.feed(body[position:], more_body=False)


CONTENTS = st.one_of(
    st.binary(max_size=200),
    st.sampled_from([b"\r\n--", b"\r\n------x", b"x" * 20_000, b"\r\n" * 99]),
)


@given(st.lists(CONTENTS, max_size=4), st.lists(st.integers(0, 70), max_size=40))
def test_long_parts_are_cut_and_the_others_stay(contents: list[bytes], sizes: list[int]) -> None:
    parts = [(f"part{number}", content, True) for number, content in enumerate(contents)]
    trimmed = trim(make_body([*parts, ("last", b"word", False)]), sizes)
    parser = MultiPartParser()
    form, files = parser.parse(BytesIO(trimmed), b"----x-1", len(trimmed))
    assert form["last"] == "word"
    for name, content, _ in parts:
        with closing(files[name]) as file:
            kept = file.read()
        assert content.startswith(kept)
        assert kept == content or len(kept) > PART_MAX


def test_a_part_with_long_headers_is_never_cut_to_an_allowed_length() -> None:
    content = b"x" * (part_trimmer.HEADERS_MAX + 2 * PART_MAX)
    trimmed = trim(make_body([("a" * 10_000, content, True)]), [])
    assert PART_MAX < trimmed.count(b"x") < len(content)


def test_other_bodies_have_no_parts() -> None:
    for content_type in ("", "text/plain", "application/x-www-form-urlencoded", "multipart/mixed"):
        assert PartTrimmer.for_content_type(content_type, PART_MAX) is None
    assert PartTrimmer.for_content_type('Multipart/Form-Data; x=y; boundary="a b"', PART_MAX)
