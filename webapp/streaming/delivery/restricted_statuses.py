"""Statuses that are not for everybody, for programs that read their member's home.

The log holds numbers about such statuses, and pages ask for the statuses. A program is sent the
status itself, after it was decided at that moment whether its member may see it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from webapp.core.media.signatures import PictureSigner
from webapp.core.store import Db
from webapp.statuses import BoostRef, Status, by_ids, status_of
from webapp.streaming.log.messages import CONTENT_KINDS, Message
from webapp.streaming.log.position import api_json
from webapp.streaming.serializers import notices
from webapp.streaming.serializers.boosts import boost_json
from webapp.streaming.serializers.statuses import edit_json, status_json
from webapp.streaming.serializers.users import RelatedData
from webapp.streaming.translation.related_reads import load_related

GONE_KINDS = {"delete", "unboost"}


@dataclass(slots=True, eq=False)
class RestrictedStatuses:
    """Writes the bodies of restricted messages for one member.

    `site_url`: the public address of the pages. `make_signer`: makes that of the program.
    """

    db: Db
    viewer: int
    site_url: str
    make_signer: Callable[[], PictureSigner]

    def complete(self, messages: Sequence[Message]) -> list[Message]:
        """Return messages, the restricted ones with the parts that the member may see.

        Six trips at most, none without restricted messages.
        """
        restricted = [message for message in messages if message.restricted_to]
        if not restricted:
            return list(messages)
        posts = [message for message in restricted if message.kind in CONTENT_KINDS]
        boosters = {message.author for message in posts if message.boosted}
        related = self._load([_shown_id(message) for message in posts], boosters)
        return [
            self._completed(message, related) if message.restricted_to else message
            for message in messages
        ]

    def _load(self, status_ids: Sequence[int], boosters: Iterable[int]) -> RelatedData:
        """Load the statuses that the member may open, and members who boost some."""
        items, _ = by_ids.fetch(self.db, dict.fromkeys(status_ids, 0), self.viewer)
        visible = [(status.id, status.author.uid) for status in map(status_of, items)]
        related = load_related(self.db, visible, boosters, self.viewer)
        return replace(
            related,
            statuses=_with_signed_pictures(related.statuses, self.make_signer()),
            quoted=_with_signed_pictures(related.quoted, self.make_signer()),
        )

    def _completed(self, message: Message, related: RelatedData) -> Message:
        body = self._body(message, related)
        if body is None:
            return message
        status = related.statuses.get(_shown_id(message))
        quoted = status.quote if status else None
        return replace(message, body=api_json(message.position, body), quoted=quoted)

    def _body(self, message: Message, related: RelatedData) -> dict[str, Any] | None:
        if message.kind in GONE_KINDS:
            return notices.delete_json(message.status_id, message.author, message.position.ms)
        status = related.statuses.get(_shown_id(message))
        if status is None:
            return None
        if message.kind == "update":
            return status_json(status, related, self.site_url)
        if message.kind == "edit":
            return edit_json(status, related.mentioned, self.site_url)
        if message.boosted and message.author in related.people:
            ref = BoostRef(message.status_id, message.author, *message.boosted)
            return boost_json(ref, status, related, self.site_url)
        return None


def _shown_id(message: Message) -> int:
    return message.boosted[0] if message.boosted else message.status_id


def _with_signed_pictures(
    statuses: Mapping[int, Status], signer: PictureSigner
) -> dict[int, Status]:
    """Return statuses by id; the addresses of restricted pictures are signed."""
    return {
        status_id: _with_signed(status, signer) if status.visibility.restricted else status
        for status_id, status in statuses.items()
    }


def _with_signed(status: Status, signer: PictureSigner) -> Status:
    pictures = (replace(one, query=signer.query(one.name)) for one in status.pictures)
    return replace(status, pictures=tuple(pictures))
