"""The site's log: one logger, whose lines carry the id of the request that caused them."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from webapp.config import Config
from webapp.core.errors import Unavailable

log = logging.getLogger("linnet")

# The id of the current request. Events carry it, so that the worker's log lines show it too.
request_id: ContextVar[str] = ContextVar("request_id", default="-")
LOG_SECONDS = 60.0  # between two equal lines of `log_at_times`
SENTENCES_MAX = 100  # that are remembered
_logged_at: dict[str, float] = {}


class RequestIdFilter(logging.Filter):
    """Add the id of the current request to every record, as `rid`."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.rid = request_id.get()
        return True


def configure(config: Config) -> None:
    """Send the site's log lines to standard error. Does nothing the second time."""
    if log.handlers:
        return
    handler = logging.StreamHandler()
    handler.addFilter(RequestIdFilter())
    formatter = logging.Formatter("%(asctime)s %(levelname)s %(process)d [%(rid)s] %(message)s")
    formatter.converter = time.gmtime  # UTC on every machine
    handler.setFormatter(formatter)
    log.addHandler(handler)
    log.setLevel(config.log_level.upper())
    log.propagate = False


def log_at_times(level: int, sentence: str, error: Exception | None = None) -> None:
    """Log what happens again and again during an outage: once a minute in each process.

    `error`: its traceback is logged too.
    """
    if time.monotonic() - _logged_at.get(sentence, -LOG_SECONDS) < LOG_SECONDS:
        return
    if len(_logged_at) >= SENTENCES_MAX:
        _logged_at.clear()
    _logged_at[sentence] = time.monotonic()
    log.log(level, sentence, exc_info=error)  # without arguments, a % sign is only that


def log_pause(what: str, error: Exception) -> None:
    """Log that a loop waits because of an error, with its traceback unless the store is down."""
    is_expected = isinstance(error, Unavailable)
    sentence = f"{what}: {describe_error(error.__cause__ or error)}"
    log_at_times(logging.WARNING, sentence, None if is_expected else error)


@contextmanager
def going_on(what: str) -> Iterator[None]:
    """Log an unexpected error about one of several, so that the others have their turn.

    Raises Unavailable: then no other would have it.
    """
    try:
        yield
    except Unavailable:
        raise
    except Exception as error:
        log_pause(f"{what} fails", error)


def describe_error(error: BaseException) -> str:
    """Return the kind of an error and its text, which the `repr` of redis-py's errors lacks."""
    return f"{type(error).__name__}: {error}"
