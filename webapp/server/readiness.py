"""Whether a process of the site is ready."""

from __future__ import annotations

import socket
import time
from contextlib import suppress
from http.client import HTTPConnection, HTTPException

from webapp.core.events import keys as event_keys
from webapp.core.store.client import Db
from webapp.errors import Refused

from .ports import reachable_host

ANSWER_SECONDS = 1.0
HEARTBEAT_AGE_MAX = 5.0  # seconds


def serves(host: str, port: int) -> bool:
    """Return True if the server on this port says that it is ready."""
    connection = HTTPConnection(reachable_host(host), port, timeout=ANSWER_SECONDS)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def works(db: Db, pid: int) -> bool:
    """Return True if the worker with this process id had a heartbeat recently. One trip."""
    with suppress(Refused):
        owner = f"{socket.gethostname()}:{pid}"
        heartbeat = db.run(("ZSCORE", event_keys.workers(), owner))
        return heartbeat is not None and time.time() - float(heartbeat) < HEARTBEAT_AGE_MAX
    return False
