"""Processes that end with the process that started them, even after `kill -9`.

Run as a program, this file binds itself to its parent and then becomes the given command.
It imports nothing of the site, so that it starts quickly and without site-packages.
"""

import ctypes
import os
import sys

PR_SET_PDEATHSIG = 1  # of Linux's prctl(2); other systems have nothing like it


def wrap_command(signal: int, program: list[str]) -> list[str]:
    """Return the command that runs `program` and sends it `signal` when this process ends.

    Linux sends it when the thread that started the program ends.
    """
    return [sys.executable, "-I", "-S", __file__, str(int(signal)), str(os.getpid()), *program]


def set_parent_death_signal(signal: int, parent_pid: int) -> None:
    """Let this process get `signal` when its parent ends. Exit if the parent has ended already."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal), 0, 0, 0)
    if os.getppid() != parent_pid:
        os._exit(1)


if __name__ == "__main__":
    set_parent_death_signal(int(sys.argv[1]), int(sys.argv[2]))
    os.execv(sys.argv[3], sys.argv[3:])
