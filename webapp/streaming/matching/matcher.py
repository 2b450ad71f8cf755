"""Find the filters that match a status: the cost grows with the matches, not with all filters."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

from .indexes import BoxIndex, PhraseIndex, Postings
from .predicates import Predicate, involved_uids
from .terms import Subject

T = TypeVar("T", bound=Hashable)


class Matcher(Generic[T]):
    """Subscribers by their predicates. Those with equal predicates share all entries."""

    def __init__(self) -> None:
        self._groups: dict[Predicate, Group[T]] = {}
        self._group_of: dict[T, Group[T]] = {}
        self._by_phrase: PhraseIndex[Group[T]] = PhraseIndex()
        self._by_author: Postings[int, Group[T]] = Postings()
        self._by_box: BoxIndex[Group[T]] = BoxIndex()

    def __len__(self) -> int:
        return len(self._group_of)

    def add(self, subscriber: T, predicate: Predicate) -> None:
        """Set the predicate of a subscriber."""
        self.remove(subscriber)
        group = self._groups.get(predicate) or self._add_group(predicate)
        group.subscribers.add(subscriber)
        self._group_of[subscriber] = group

    def remove(self, subscriber: T) -> None:
        """Remove a subscriber, if it is there."""
        group = self._group_of.pop(subscriber, None)
        if group is None:
            return
        group.subscribers.discard(subscriber)
        if not group.subscribers:
            self._remove_group(group)

    def match(self, subject: Subject) -> set[T]:
        """Return the subscribers whose predicate matches."""
        if subject.protected or not self._groups:
            return set()
        groups = set(self._by_phrase.find(subject.searched))
        for uid in involved_uids(subject):
            groups.update(self._by_author.values(uid))
        if subject.point:
            groups.update(self._by_box.find(subject.point))
        matched = (
            group.subscribers
            for group in groups
            if not group.is_narrowed or group.predicate.allows(subject)
        )
        return set().union(*matched)

    def _add_group(self, predicate: Predicate) -> Group[T]:
        group: Group[T] = Group(predicate)
        self._groups[predicate] = group
        for phrase in predicate.phrases:
            self._by_phrase.add(phrase, group)
        for uid in predicate.follow:
            self._by_author.add(uid, group)
        for box in predicate.boxes:
            self._by_box.add(box, group)
        return group

    def _remove_group(self, group: Group[T]) -> None:
        predicate = group.predicate
        del self._groups[predicate]
        for phrase in predicate.phrases:
            self._by_phrase.discard(phrase, group)
        for uid in predicate.follow:
            self._by_author.discard(uid, group)
        for box in predicate.boxes:
            self._by_box.discard(box, group)


class Group(Generic[T]):
    """All subscribers with one predicate. Groups are compared by identity, which is fast."""

    __slots__ = ("is_narrowed", "predicate", "subscribers")

    def __init__(self, predicate: Predicate) -> None:
        self.predicate = predicate
        self.is_narrowed = bool(predicate.languages) or predicate.level != "none"
        self.subscribers: set[T] = set()
