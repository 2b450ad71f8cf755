"""Each web process on a CPU of its own, where there are enough of them for all CPUs.

The threads of one interpreter run in turn. Left to themselves they are put on whichever CPU is idle, where the caches
hold nothing of what the last one worked with: a page then takes a quarter to a third more processor time.
"""

from __future__ import annotations

import os
import socket
from contextlib import suppress

_claimed_sockets: list[socket.socket] = []  # held for as long as the process lives


def pin_to_cpu(group: int, count: int) -> int | None:
    """Keeps this process, one of `count` that `group` numbers, and the threads that it starts from now on, to a CPU;
    gives its number. A CPU is free again when the process ends, however it does. None, and nothing is done, where there
    are more CPUs than processes, which the kernel then shares out better, or the system cannot (it is not Linux).
    """
    cpus = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_setaffinity") else []
    if not 0 < len(cpus) <= count:
        return None
    for slot in range(count):
        claim_socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        with suppress(OSError):  # another process has this place
            claim_socket.bind(f"\0linnet-{group}-{slot}")
            _claimed_sockets.append(claim_socket)
            os.sched_setaffinity(0, {cpus[slot % len(cpus)]})
            return cpus[slot % len(cpus)]
        claim_socket.close()
    return None
