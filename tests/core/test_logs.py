"""What the log says of an outage."""

import logging

import pytest
from redis.exceptions import OutOfMemoryError, TimeoutError

from webapp.core import logs
from webapp.core.errors import Unavailable
from webapp.core.metrics.log_lines import LineHandler
from webapp.core.metrics.recorder import Recorder
from webapp.core.store.replies import typed_error


def test_a_loop_that_waits_says_so_once_a_minute_with_the_text_of_the_error(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs.log, "propagate", False)
    monkeypatch.setattr(logs.log, "handlers", [caplog.handler])
    monkeypatch.setattr(logs, "_logged_at", {})
    error = Unavailable("store_down")
    error.__cause__ = TimeoutError("no answer (10.0.0.1:6379)")
    for _ in range(3):
        logs.log_pause("fanout pauses", error)
        logs.log_pause("fanout pauses", ValueError("another"))
    assert [(one.message, bool(one.exc_info)) for one in caplog.records] == [
        ("fanout pauses: TimeoutError: no answer (10.0.0.1:6379)", False),
        ("fanout pauses: ValueError: another", True),
    ]


def test_operators_see_what_waits_in_the_most_common_lines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    recorder = Recorder()
    monkeypatch.setattr(logs.log, "handlers", [LineHandler(recorder)])
    monkeypatch.setattr(logs, "_logged_at", {})
    logs.log_at_times(logging.WARNING, "the disk is 100% full")
    logs.log_pause("fanout pauses", Unavailable("store_down"))
    first, second = recorder.take().lines
    assert first.template == "the disk is 100% full" in first.text
    assert second.template.startswith("fanout pauses: ")


def test_refused_writes_are_logged_once_whatever_script_was_refused(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logs.log, "propagate", False)
    monkeypatch.setattr(logs.log, "handlers", [caplog.handler])
    monkeypatch.setattr(logs, "_logged_at", {})
    for line in range(3):
        error = OutOfMemoryError(f"command not allowed script: abc, on @user_script:{line}.")
        assert isinstance(typed_error(error), Unavailable)
    [record] = caplog.records
    assert record.levelno == logging.ERROR
    assert record.message.startswith("the store refuses writes: command not allowed (linnet doc")
