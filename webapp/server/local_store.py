"""The embedded store of an app that nobody else runs it for, as under `flask run`."""

import atexit
import os
from dataclasses import replace

from webapp.config import Config

from . import embedded_store
from .data_dir import PRIVATE_UMASK

STARTED_HERE = "LINNET_STORE_STARTED_HERE"  # set in a process that started its store


def ensure_store(config: Config) -> Config:
    """Start the embedded store if it does not run yet, until this process ends.

    There is no worker then, so the returned configuration applies events inline. Flask's reloader
    serves from a child process, which finds STARTED_HERE in its environment.
    """
    if not config.embedded:
        return config
    os.umask(PRIVATE_UMASK)
    if not embedded_store.is_running(config.data_dir):
        atexit.register(embedded_store.stop, embedded_store.start(config.data_dir))
        os.environ[STARTED_HERE] = "1"
    return replace(config, inline_projections=True) if os.environ.get(STARTED_HERE) else config
