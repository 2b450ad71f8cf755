"""What edits added and removed, and the page that shows it."""

import re
from datetime import UTC, datetime

import pytest
from flask.testing import FlaskClient

from tests.support.pages import page_text
from tests.support.statuses.edits import post_status
from webapp.core.text.parser import parse
from webapp.statuses.edits.differences import compare, compare_versions
from webapp.statuses.edits.editing import Version

MANY = "鳥" * 130  # too many equal pairs to compare
WORDS = " ".join(chr(97 + number // 26) + chr(97 + number % 26) for number in range(91))
MARKS = {"same": "{}", "removed": "[-{}-]", "added": "[+{}+]"}


def marked(old: str, new: str) -> str:
    """Return the new text with marks around what was removed and added."""
    return "".join(
        MARKS[change.kind].format("".join(text for text, _ in change.pieces))
        for change in compare((old, ()), (new, ()))
    )


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("a wren", "a wren", "a wren"),
        ("", "a", "[+a+]"),
        ("a", "", "[-a-]"),
        ("", "", ""),
        ("dawn corus", "dawn chorus", "dawn [-corus-][+chorus+]"),
        ("one two three", "four five three", "[-one two-][+four five+] three"),
        ("it is loud", "it is very loud.", "it is [+very +]loud[+.+]"),
        ("今天天气很好", "今天的天气真好", "今天[+的+]天气[-很-][+真+]好"),
        ("네 새", "네 큰 새", "네 [+큰 +]새"),
        ("👨‍👩‍👧 ok", "👨‍👩‍👦 ok", "[-👨‍👩‍👧-][+👨‍👩‍👦+] ok"),
        ("cafe\u0301s", "cafes", "[-cafe\u0301s-][+cafes+]"),
        ("a\n\nb", "a\nb", "a[-\n\n-][+\n+]b"),
        ("鳥" * 140, "鳥" * 139, f"{'鳥' * 139}[-鳥-]"),
        (f"a{MANY}b", f"c{MANY}d", f"[-a{MANY}b-][+c{MANY}d+]"),
        (f"a {WORDS} b", f"c {WORDS} d", f"[-a-][+c+] {WORDS} [-b-][+d+]"),
        ("a  b  c", "x  b  y", "[-a-][+x+]  b  [-c-][+y+]"),
        ("a a a b", "a a b a b", "a a [+b +]a b"),
    ],
)
def test_a_difference_is_by_words_and_by_characters(old: str, new: str, expected: str) -> None:
    assert marked(old, new) == expected


def test_an_entity_is_one_piece_and_stays_a_link() -> None:
    old, new = parse("see example.com/a @ann"), parse("see example.com/b @ann #birds")
    changes = compare((old.text, old.entities), (new.text, new.entities))
    pieces = [(change.kind, [text for text, _ in change.pieces]) for change in changes]
    assert ("removed", ["example.com/a"]) in pieces and ("added", ["example.com/b"]) in pieces
    kinds = {entity.kind for change in changes for _, entity in change.pieces if entity}
    assert kinds == {"url", "mention", "hashtag"}


def test_each_version_is_compared_with_the_one_before() -> None:
    now = datetime.now(UTC)
    versions = [Version(now, text, (), cw) for text, cw in (("c", "x"), ("b", "x"), ("a", ""))]
    newest, middle, first = compare_versions(versions)
    assert [change.kind for change in newest.text] == ["removed", "added"]
    assert [change.kind for change in newest.cw] == ["same"]
    assert [change.kind for change in middle.cw] == ["added"]
    assert [change.kind for change in first.text] == ["same"] and first.cw == ()


def test_the_history_marks_changes_with_words_for_those_who_hear_it(ann: FlaskClient) -> None:
    path = post_status(ann, text="dawn corus <b>", cw="loud")
    assert "<ins>" not in ann.get(f"{path}/history").text
    ann.post(f"{path}/edit", data={"text": "dawn chorus <b>", "version": "0"})
    page = ann.get(f"{path}/history")
    assert "dawn Removed: corus (end) Added: chorus (end) <b>" in page_text(page)
    for words in ("Removed: ", "Added: ", " (end) "):  # they have no say in the text's direction
        assert set(re.findall(rf"<(\w+)[^>]*>{re.escape(words)}<", page.text)) == {"bdi"}
    assert "First version" in page_text(page)
    summaries = re.findall(r"<summary>(.*?)</summary>", page.text.partition("<main")[2], re.S)
    assert "<del>" in summaries[0] and "loud" in summaries[0], "the text stays behind the warning"
    assert "<del>" not in summaries[1] and "loud" in summaries[1]
