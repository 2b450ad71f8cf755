"""Make writes wait for replicas, so that a failover loses no acknowledged write.

WAIT goes along in the same trip, or WAITAOF, which waits for the replicas' files. It covers every
write before it, so repeating a write that was stored but not replicated waits for the first one
too.
"""

from dataclasses import dataclass
from typing import Any

from redis.exceptions import RedisError

from webapp.core.store.replies import not_replicated

from .circuit_breaker import CircuitBreaker
from .exchange import Request, exchange
from .routing import Batches

WAIT_MILLISECONDS = 1_000  # for the replicas to answer; less than a page waits for the store
AGAIN_MILLISECONDS = 1  # once they have not answered; 0 would be for ever


@dataclass(slots=True)
class ReplicaWait:
    """How the trips of one request wait for replicas. After one in vain, the others hardly wait."""

    replicas: int
    on_disk: bool = False
    milliseconds: int = WAIT_MILLISECONDS

    def exchange(self, batches: Batches, breaker: CircuitBreaker) -> dict[int, Any]:
        """Exchange as `exchange` does, and wait until enough replicas of each server have it all.

        The replies of a server where too few have it are Unavailable. A retry is safe where the
        write is idempotent.
        """
        what = ("WAITAOF", 0) if self.on_disk else ("WAIT",)
        wait = (*what, self.replicas, self.milliseconds)
        with_waits = {
            pool: [*requests, Request(~number, wait)]  # negative: no command of the trip
            for number, (pool, requests) in enumerate(batches.items())
        }
        replies = exchange(with_waits, breaker)
        for number, requests in enumerate(batches.values()):
            reached = replies.pop(~number)
            if isinstance(reached, list):  # of WAITAOF: the server's own file, and the replicas'
                reached = reached[1]
            if isinstance(reached, int) and reached >= self.replicas:
                continue
            self.milliseconds = AGAIN_MILLISECONDS
            # After a refusal nothing is lost, or the command is sent again and waits again.
            if not any(isinstance(replies[one.position], RedisError) for one in requests):
                replies |= {one.position: not_replicated() for one in requests}
        return replies
