"""Processes that end with the process that started them, even when that one is killed by `kill -9`.

Run as a program it binds itself and then becomes the command it is given, so that any program can be bound.
It imports nothing of ours: it runs before every part of the site, without site-packages.
"""

from __future__ import annotations

import ctypes
import os
import sys

PR_SET_PDEATHSIG = 1  # PR_SET_PDEATHSIG of Linux's prctl(2); other systems have nothing like it


def wrap_command(signal: int, program: list[str]) -> list[str]:
    """The command that runs `program` and sends it `signal` when this process (or the thread that starts it) ends."""
    return [sys.executable, "-I", "-S", __file__, str(int(signal)), str(os.getpid()), *program]


def set_parent_death_signal(signal: int, parent_pid: int) -> None:
    """This process gets `signal` when its parent ends; it ends here when that has happened already."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal), 0, 0, 0)
    if os.getppid() != parent_pid:
        os._exit(1)


if __name__ == "__main__":
    set_parent_death_signal(int(sys.argv[1]), int(sys.argv[2]))
    os.execv(sys.argv[3], sys.argv[3:])
