"""Pin each web process to a CPU, if there are at least as many processes as CPUs.

Why, measured: the threads of one interpreter run in turn, and the kernel moves them to whichever
CPU is idle, away from their caches. A page then takes a quarter to a third more processor time.
"""

import os
import socket
from contextlib import suppress

_claimed_sockets: list[socket.socket] = []  # held until the process ends


def pin_to_cpu(group: int, count: int) -> int | None:
    """Pin this process, one of `count` in `group`, to a free CPU and return the CPU's number.

    A CPU is free again when the process that claimed it ends. Return None, and do nothing, if
    there are more CPUs than processes or the system is not Linux.
    """
    cpus = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_setaffinity") else []
    if not 0 < len(cpus) <= count:
        return None
    for slot in range(count):
        claim_socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        with suppress(OSError):  # another process has claimed this slot
            claim_socket.bind(f"\0linnet-{group}-{slot}")
            _claimed_sockets.append(claim_socket)
            cpu = cpus[slot % len(cpus)]
            os.sched_setaffinity(0, {cpu})
            return cpu
        claim_socket.close()
    return None
