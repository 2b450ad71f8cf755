"""The site's log: one logger, whose lines carry the id of the request that caused them."""

from __future__ import annotations

import logging
import time
from contextvars import ContextVar

from webapp.config import Config

log = logging.getLogger("linnet")

# The id of the current request. Events carry it, so that the worker's log lines show it too.
request_id: ContextVar[str] = ContextVar("request_id", default="-")


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
