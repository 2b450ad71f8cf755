"""Log lines for operators hold no secrets and no addresses."""

import json
import logging
import time

import pytest

from webapp.config import Config
from webapp.core.logs import configure, log
from webapp.core.metrics.log_lines import LINE_BYTES, LineHandler, clean
from webapp.core.metrics.recorder import Recorder

SECRET = "Zx9aB3kQ7wLmN5pR2tVy8cDf"


@pytest.mark.parametrize(
    ("line", "kept"),
    [
        ("from 203.0.113.9: refused", "from [removed]: refused"),
        ("from 2001:db8::7 and ::1", "from [removed] and [removed]"),
        ("at 10:20:30 in 1.2.3", "at 10:20:30 in 1.2.3"),
        ("ann@example.org wrote", "[removed] wrote"),
        ("redis://:pw@store:6379/0 is away", "redis://[removed] is away"),
        (f"invite {SECRET} used", "invite [removed] used"),
        ("password=hunter2, then", "password [removed], then"),
        ("Authorization: Bearer abc", "Authorization [removed]"),
        ("parked log posted p=7 id=1795690000000-0: KeyError", None),
        ("a\nforged line\x1b[31m", "a\\nforged line\\x1b[31m"),
    ],
)
def test_what_a_line_may_not_hold_is_removed(line: str, kept: str | None) -> None:
    assert clean(line) == (kept or line)


def test_times_of_log_lines_are_utc_wherever_the_machine_is(
    settings: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log, "handlers", [])
    configure(settings)
    [handler] = log.handlers
    record = logging.makeLogRecord({"created": 86_400.0, "msecs": 0, "rid": "-"})
    monkeypatch.setenv("TZ", "Asia/Shanghai")
    time.tzset()
    line = handler.format(record)
    monkeypatch.undo()
    time.tzset()
    assert line.startswith("1970-01-02 00:00:00")


def test_a_line_is_cut_between_characters() -> None:
    assert clean("鳥 " * 400).encode() == ("鳥 " * 125).encode()
    assert len(clean("x " * 5_000).encode()) == LINE_BYTES


def test_warnings_are_kept_and_similar_ones_share_a_template() -> None:
    recorder, logger = Recorder(), logging.Logger("test")
    logger.addHandler(LineHandler(recorder))
    logger.info("not kept")
    logger.warning("views of %d statuses were not counted", 3)
    logger.warning("views of %d statuses were not counted", 4)
    logger.error("wrong %d", "arguments")
    lines = recorder.take().lines
    assert {line.template for line in lines} == {"views of %d statuses were not counted"}
    assert [json.loads(line.text)["text"][9] for line in lines] == ["3", "4"]
