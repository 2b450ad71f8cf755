"""Keep the log lines that need an operator's attention, without addresses and secrets."""

import ipaddress
import logging
import os
import re

import orjson

from .recorder import Line, Recorder

LINE_BYTES = 500
REMOVED = "[removed]"
BEARER = re.compile(r"\bbearer\s+\S+", re.IGNORECASE)
NAMED_SECRET = re.compile(
    r"(?i)\b(password|passwd|secret|token|cookie|authorization|api[_-]?key)"
    r"['\"]?\s*[=:]\s*['\"]?[^\s'\",;]+"
)
URL = re.compile(r"\b([a-z][a-z0-9+.-]*)://[^\s'\"<>]+", re.IGNORECASE)
MAIL = re.compile(r"[^\s@'\"<>()]+@[^\s@'\"<>()]+\.[a-z]{2,}", re.IGNORECASE)
NETWORK = re.compile(r"(?<![\w.:])(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]*(?::[0-9a-f]*){2,8})", re.I)
LONG_SECRET = re.compile(r"(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{20,}")
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


class LineHandler(logging.Handler):
    """Passes records from WARNING on to a recorder. It never raises, and never waits."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__(logging.WARNING)
        self._recorder = recorder

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record."""
        try:
            text = {
                "at": round(record.created, 3),
                "rid": getattr(record, "rid", "-"),
                "pid": os.getpid(),
                "text": clean(record.getMessage()),
            }
            severity = record.levelname.lower()
            line = Line(severity, orjson.dumps(text).decode(), clean(str(record.msg)))
        except Exception:  # a message whose arguments do not fit it
            return
        self._recorder.line(line)


def clean(text: str) -> str:
    """Return a line without secrets, addresses and control characters, LINE_BYTES at most."""
    text = text[: 4 * LINE_BYTES]
    text = URL.sub(rf"\1://{REMOVED}", text)
    text = BEARER.sub(REMOVED, text)
    text = NAMED_SECRET.sub(rf"\1 {REMOVED}", text)
    text = MAIL.sub(REMOVED, text)
    text = NETWORK.sub(_without_address, text)
    text = LONG_SECRET.sub(REMOVED, text)
    text = CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
    return text.encode(errors="replace")[:LINE_BYTES].decode(errors="ignore")


def _without_address(found: re.Match[str]) -> str:
    try:
        ipaddress.ip_address(found[0])
    except ValueError:  # a time, or a version
        return found[0]
    return REMOVED
