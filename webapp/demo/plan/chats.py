"""Plan the featured member's chats, from the file `chats.txt`.

A section is a chat: `direct` or `group`, its language, and a group's kind, name and topic. Lines:

    me: …    a: …     a message of the featured member, of a friend
    a ^2: …           a reply to the second message
    + me 2 😂         a reaction to it
    = me              the featured member has read all until here
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from random import Random

from webapp.demo.acts.act import Act
from webapp.demo.acts.chat_acts import OpenGroup, React, ReadChat, Say
from webapp.demo.community import Community
from webapp.demo.phrases import sections

MESSAGE = re.compile(r"(\w+)(?: \^(\d+))?: (.+)")
REACTION = re.compile(r"\+ (\w+) (\d+) (\S+)")
MINUTE_MS = 60_000
DAY_MS = 86_400_000
NEWEST_AGO_MS = 25 * MINUTE_MS  # when the newest chat ends
DAYS_APART = 0.9  # two chats


def plan_chats(rng: Random, community: Community, friends: Sequence[int]) -> Iterator[Act]:
    """Yield the acts in chats, up to the community's time. The first in the file is the newest.

    `friends` and the featured member follow each other. Each has one direct chat at most. A chat
    is left out where too few friends write its language.
    """
    free, persons, me = list(friends), community.people, community.featured_index
    for number, (head, lines) in enumerate(sections("chats.txt")):
        kind, language, *options = head.split(" ", 3)
        names = sorted({match[1] for line in lines if (match := MESSAGE.match(line))} - {"me"})
        able = [one for one in free if language in persons[one].languages]
        if len(able) < len(names):
            continue
        members = {"me": me, **dict(zip(names, able, strict=False))}
        chat, ago = f"chat {number}", NEWEST_AGO_MS + int(number * DAYS_APART * DAY_MS)
        times = _times(rng, len(lines) + 1, community.now - ago)
        if kind == "direct":
            free.remove(members["a"])
        else:
            yield _group(times[0], chat, lines, members, *options)
        yield from _talk(chat, lines, members, times[1:], is_direct=kind == "direct")


def _group(
    at_ms: int,
    chat: str,
    lines: Sequence[str],
    members: Mapping[str, int],
    kind: str,
    title: str,
) -> Act:
    """Return the act of making a group, by the author of its first message."""
    owner = members[lines[0].partition(":")[0]]
    name, _, topic = title.partition(" // ")
    others = tuple(one for one in members.values() if one != owner)
    return OpenGroup(at_ms, owner, chat, kind, name, topic, others)


def _talk(
    chat: str,
    lines: Sequence[str],
    members: Mapping[str, int],
    times: Sequence[int],
    is_direct: bool,
) -> Iterator[Act]:
    """Yield the acts of the lines. Messages are numbered from 1."""
    count = 0
    for line, at_ms in zip(lines, times, strict=True):
        if match := MESSAGE.match(line):
            count += 1
            other = members["a" if match[1] == "me" else "me"] if is_direct else None
            reply_to = int(match[2]) if match[2] else None
            yield Say(at_ms, members[match[1]], chat, count, match[3], other, reply_to)
        elif match := REACTION.match(line):
            yield React(at_ms, members[match[1]], chat, int(match[2]), match[3])
        else:
            yield ReadChat(at_ms, members["me"], chat, count)


def _times(rng: Random, count: int, end: int) -> list[int]:
    """Return times in order, a few minutes apart, the last one at `end`."""
    times = [end]
    while len(times) < count:
        times.append(times[-1] - int(rng.uniform(0.4, 9) * MINUTE_MS))
    return times[::-1]
