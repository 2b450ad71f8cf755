"""Positions in the log."""

import pytest

from webapp.streaming.log.position import LOG_START, SEQUENCE_MAX, LogPosition


@pytest.mark.parametrize("log_id", ["0-0", "1767225600000-0", "1767225600000-12"])
def test_str_of_a_parsed_position_is_its_log_id(log_id: str) -> None:
    assert str(LogPosition.parse(log_id)) == log_id


def test_positions_compare_as_numbers() -> None:
    ids = ["9-0", "10-0", "10-9", "10-10", "11-0"]
    assert sorted(map(LogPosition.parse, reversed(ids))) == [LogPosition.parse(one) for one in ids]


def test_previous_is_the_largest_smaller_position() -> None:
    assert LogPosition(5, 3).previous() == (5, 2)
    assert LogPosition(5, 0).previous() == (4, SEQUENCE_MAX)
    assert LOG_START.previous() == LOG_START
