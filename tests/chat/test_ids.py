"""Ids of chats."""

import pytest

from webapp.chat.ids import parse_cid


@pytest.mark.parametrize("cid", ["12", "3-17"])
def test_parse_cid_accepts_groups_and_direct_chats(cid: str) -> None:
    assert parse_cid(cid) == cid


@pytest.mark.parametrize(
    "text",
    [
        *("", "0", "01", "-1", "x", "1.5", "1e3", "٣", "9" * 40, "3 17", "3-17\n"),
        *("-", "1-", "3-", "1-1", "2-1", "3-3", "7-3", "1-2-3", "3-17-4"),
    ],
)
def test_parse_cid_refuses_everything_else(text: str) -> None:
    assert parse_cid(text) is None
