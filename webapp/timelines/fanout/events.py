"""Extract statuses and boosts from events for fan-out, and check that they still exist."""

from webapp.core.events.outbox import Event
from webapp.core.store import Read, constant, read
from webapp.statuses import Entry, Visibility, keys as status_keys
from webapp.statuses.boost_refs import format_entry, ref_from_event, zset_member
from webapp.statuses.interactions import keys as interaction_keys
from webapp.timelines.entries import format_status_entry

FOR_MENTIONED = (Visibility.MENTIONED.value, Visibility.GROUP.value)


def id_and_poster(event: Event) -> Entry:
    """Return the id of a status and its author, or of a boost and who boosts."""
    boost = ref_from_event(event)
    if boost:
        return boost.id, boost.booster_uid
    return event.number("id"), event.number("author")


def reply_to_uid(event: Event) -> str:
    """Return the uid of the other member that a status answers, or ''."""
    reply_to = event.data.get("reply_to_uid", "")
    return reply_to if reply_to != event.data["author"] else ""


def home_entry(event: Event) -> str:
    """Return the entry that homes have of a status or boost."""
    boost = ref_from_event(event)
    if boost:
        return format_entry(boost)
    return format_status_entry(event.data["id"], event.data["author"], reply_to_uid(event))


def is_for_mentioned_only(event: Event) -> bool:
    """Return True if the event posts a status for mentioned members only.

    Or for a closed group, whose posts mention nobody: they go to no home.
    """
    return event.type == "posted" and event.data.get("visibility") in FOR_MENTIONED


def mentioned_uids(event: Event) -> list[str]:
    """Return the uids that a restricted status mentions or answers, among them empty strings."""
    return event.data.get("mentioned", "").split(" ")


def still_holds(event: Event) -> Read[bool]:
    """Read whether an event may be delivered. One that retracts always may.

    A status must still be there, and a boost be the same.
    """
    if event.type not in ("posted", "boosted"):
        return constant(True)
    boost = ref_from_event(event)
    if not boost:
        return read(("EXISTS", status_keys.status(event.number("id"))), bool)
    member = zset_member(boost.status_id, boost.author_uid)
    command = ("ZSCORE", interaction_keys.member_boosts(boost.booster_uid), member)
    return read(command, lambda score: score is not None and int(score) == boost.id)
