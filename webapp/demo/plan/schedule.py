"""Put all acts in their order, each at a ms of its own.

Joining, posting and chatting happen at their times. The other acts follow in rounds, between two
posts: there the projections of many can share trips, since those of a kind come together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from webapp.demo.acts.act import Act

ROUND_MS = 2 * 3_600_000  # between two rounds, at least
GAP_MIN_MS = 60_000  # between two timed acts, for a round to fit in
ROUND_MAX_MS = 20 * 60_000  # that a round lasts


def in_order(timed: Sequence[Act], loose: Sequence[Act], now: int) -> list[Act]:
    """Return all acts in order of time, up to `now` (unix ms). Loose ones are never early."""
    waiting = sorted(loose, key=lambda act: act.at_ms)
    timed = sorted(timed, key=lambda act: act.at_ms)
    acts: list[Act] = []
    done = round_at = 0
    ends = [*(one.at_ms for one in timed[1:]), now]
    for place, (act, next_at) in enumerate(zip(timed, ends, strict=True), 1):
        at_ms = max(act.at_ms, acts[-1].at_ms + 1) if acts else act.at_ms
        acts.append(replace(act, at_ms=at_ms))
        is_last = place == len(timed)
        if is_last or (next_at - at_ms > GAP_MIN_MS and at_ms - round_at > ROUND_MS):
            end = done
            while end < len(waiting) and (is_last or waiting[end].at_ms <= at_ms):
                end += 1
            acts += _round(waiting[done:end], at_ms, min(next_at, at_ms + ROUND_MAX_MS))
            done, round_at = end, at_ms
    return acts


def _round(acts: Sequence[Act], start: int, end: int) -> Iterator[Act]:
    """Yield acts by kind, evenly between two times, and at least one ms apart."""
    by_kind: dict[type[Act], list[Act]] = {}
    for act in acts:
        by_kind.setdefault(type(act), []).append(act)
    step = max((end - start) / (len(acts) + 1), 1)
    for number, act in enumerate(chain.from_iterable(by_kind.values()), 1):
        yield replace(act, at_ms=start + int(number * step))
