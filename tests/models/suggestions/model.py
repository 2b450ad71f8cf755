"""The rules of suggestions in plain Python, over a few sets that tests keep beside the store."""

from collections import defaultdict
from dataclasses import dataclass, field

Row = tuple[int, str]  # the uid of a suggested member, and the letter of the reason


@dataclass
class Model:
    """Who follows, blocks and posts what. Lists are in order of time."""

    follows: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    requests: set[tuple[int, int]] = field(default_factory=set)
    tags: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    posts: list[tuple[int, str]] = field(default_factory=list)  # author, hashtag
    blocks: set[tuple[int, int]] = field(default_factory=set)
    mutes: set[tuple[int, int]] = field(default_factory=set)
    dismissed: set[tuple[int, int]] = field(default_factory=set)
    protected: set[int] = field(default_factory=set)
    gone: set[int] = field(default_factory=set)  # suspended or deleted

    def hides(self, viewer: int, uid: int) -> bool:
        """Return True if a block, a mute or the end of an account hides a member."""
        pairs = {(viewer, uid), (uid, viewer)}
        return uid in self.gone or bool(pairs & self.blocks) or (viewer, uid) in self.mutes

    def suggestions(self, viewer: int) -> list[Row]:
        """Return whom to suggest, best first."""
        everybody = {uid for pair in self.follows.items() for uid in (pair[0], *pair[1])}
        everybody |= {author for author, _ in self.posts}
        found = []
        for uid in everybody - {viewer}:
            points, reason = self._judge(viewer, uid)
            if points and self._may_suggest(viewer, uid, reason):
                active = any(author == uid for author, _ in self.posts)
                found.append((-points - 3 * active, uid, reason))
        return [(uid, reason) for _, uid, reason in sorted(found)]

    def _judge(self, viewer: int, uid: int) -> tuple[int, str]:
        friends = [one for one in self.follows[viewer] if not self.hides(viewer, one)]
        by_friends = sum(uid in self.follows[friend] for friend in friends)
        followed = [tag for tag in self.tags[viewer] if self._posts_about(uid, tag)]
        used = {
            tag
            for author, tag in self.posts
            if author == viewer and self._is_public(viewer) and self._posts_about(uid, tag)
        }
        peers = [
            one
            for one, theirs in self.follows.items()
            if one != viewer and set(theirs) & set(friends) and uid in theirs
            if self._is_public(one)
        ]
        by_peers = len(peers) if len(peers) > 1 else 0
        by_tags = len({*followed, *used})
        reason = "f" if by_friends else "t" if followed else "u" if used else "c"
        return 4 * by_friends + 3 * by_tags + 2 * by_peers, reason

    def _may_suggest(self, viewer: int, uid: int, reason: str) -> bool:
        return (
            uid not in self.follows[viewer]
            and (viewer, uid) not in self.requests | self.dismissed
            and not self.hides(viewer, uid)
            and (uid not in self.protected or reason == "f")
        )

    def _is_public(self, uid: int) -> bool:
        return uid not in self.protected | self.gone

    def _posts_about(self, uid: int, tag: str) -> bool:
        return (uid, tag) in self.posts and self._is_public(uid)
