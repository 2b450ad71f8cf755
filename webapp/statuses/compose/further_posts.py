"""The further posts of a thread, each in reply to the one before."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from webapp.accounts.store import Member, mentioned_members, without_unknown
from webapp.core.i18n import language_detection
from webapp.core.store import Db, results_of_all
from webapp.core.text.entity_codec import pack_entities
from webapp.core.text.parser import Parsed
from webapp.statuses.quotes.links import quote_linked
from webapp.statuses.values.pictures import Picture, pack_pictures
from webapp.statuses.values.places import Place, place_fields
from webapp.statuses.values.poll import Poll, pack_poll
from webapp.statuses.values.visibility import Visibility, pack_uids, unpack_uids

INHERITED: Final = ("cw", "visibility", "reply_rule", "quote_policy")  # by a thread's posts


@dataclass(frozen=True, slots=True)
class FurtherPost:
    """A further post of a thread. Without a warning of its own it has that of the first."""

    parsed: Parsed
    cw: str = ""
    pictures: Sequence[Picture] = ()  # staged ones
    poll: Poll | None = None
    place: Place | None = None
    sensitive: bool = False

    @property
    def fingerprint(self) -> tuple[object, ...]:
        """Return the parts that make it another post."""
        pictures = [one.fingerprint for one in self.pictures]
        return self.parsed.text, self.cw, pictures, pack_poll(self.poll), self.place, self.sensitive


def further_fields(
    db: Db, uid: int, first: Mapping[str, str], more: Sequence[FurtherPost], host: str
) -> list[dict[str, str]]:
    """Return the fields of further posts, without the reply fields and empty ones.

    `first`: the fields of the first; `host`: see `StatusOptions`. They have its audience, and its
    warning unless they have their own. Two trips if any mentions somebody, and two if any links
    to a status.
    """
    if not more:
        return []
    found = results_of_all(db, (quote_linked(uid, one.parsed, host) for one in more))
    linked = [(one, *quoted) for one, quoted in zip(more, found, strict=True)]
    entities = chain.from_iterable(parsed.entities for _, parsed, _ in linked)
    members = mentioned_members(db, entities)
    posts = [
        {
            "author": first["author"],
            "text": parsed.text,
            "entities": pack_entities(without_unknown(parsed.entities, members)),
            **{name: first[name] for name in INHERITED if name in first},
            **({"cw": one.cw} if one.cw else {}),
            "sensitive": "1" if one.sensitive else "",
            "media": pack_pictures(one.pictures),
            "poll": pack_poll(one.poll),
            **_audience(uid, first, parsed, members),
            **quote,
            **place_fields(one.place),
            "lang": language_detection.detect(parsed.text, parsed.entities),
        }
        for one, parsed, quote in linked
    ]
    return [
        {name: value for name, value in post.items() if value or name == "text"} for post in posts
    ]


def _audience(
    uid: int, first: Mapping[str, str], parsed: Parsed, members: Mapping[str, Member]
) -> dict[str, str]:
    visibility = Visibility(first.get("visibility", ""))
    if visibility is Visibility.GROUP:
        return {"group": first["group"]}
    if not visibility.restricted:
        return {}
    logins = {entity.text.lower() for entity in parsed.entities if entity.kind == "mention"}
    mentioned = {member.uid for login, member in members.items() if login in logins}
    return {"mentioned": pack_uids(unpack_uids(first.get("mentioned")) | mentioned | {uid})}
