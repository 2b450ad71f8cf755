"""The JSON of boosts, which the v1.1 API calls retweets."""

from typing import Any

from webapp.core.store import ids
from webapp.statuses import BoostRef, Status

from .statuses import NO_PLACE, status_json
from .users import RelatedData, format_date, user_json

Entities = dict[str, list[dict[str, Any]]]
PREFIX = "RT @{login}: "
OF_THE_BOOSTED = ("quoted_status", "quoted_status_permalink")  # they are inside it only
NO_REPLY = {
    "in_reply_to_status_id": None,
    "in_reply_to_status_id_str": None,
    "in_reply_to_user_id": None,
    "in_reply_to_user_id_str": None,
    "in_reply_to_screen_name": None,
}


def boost_json(
    ref: BoostRef, status: Status, related: RelatedData, site_url: str
) -> dict[str, Any]:
    """Return a boost: a status of the booster, with the boosted one in `retweeted_status`."""
    boosted = status_json(status, related, site_url)
    created = ids.created_at(ref.id)
    prefix = PREFIX.format(login=status.author.login)
    copied = {name: value for name, value in boosted.items() if name not in OF_THE_BOOSTED}
    if "extended_entities" in copied:
        copied["extended_entities"] = _shifted(copied["extended_entities"], len(prefix))
    return {
        **copied,
        **NO_REPLY,
        **NO_PLACE,
        "created_at": format_date(created),
        "timestamp_ms": str(int(created.timestamp() * 1000)),
        "id": ref.id,
        "id_str": str(ref.id),
        "text": prefix + status.text,
        "entities": _entities_behind(prefix, boosted["entities"], status),
        "filter_level": "none" if status.cw else "medium",  # a boost of a reply is no reply
        "user": user_json(related.people[ref.booster_uid], site_url),
        "retweeted_status": boosted,
    }


def _entities_behind(prefix: str, entities: Entities, status: Status) -> Entities:
    """Return entities behind a prefix that mentions the author."""
    author = status.author
    mention = {
        "screen_name": author.login,
        "name": author.name,
        "id": author.uid,
        "id_str": str(author.uid),
        "indices": [len("RT "), len(prefix) - len(": ")],
    }
    shifted = _shifted(entities, len(prefix))
    return shifted | {"user_mentions": [mention, *shifted["user_mentions"]]}


def _shifted(entities: Entities, offset: int) -> Entities:
    """Return entities with their indices moved by `offset` code points."""
    return {
        name: [item | {"indices": [place + offset for place in item["indices"]]} for item in items]
        for name, items in entities.items()
    }
