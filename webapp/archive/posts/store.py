"""Import one post: it is on its author's profile, in search and in its thread, and nowhere else.

Nobody is notified, and no home or stream gets it. A post that is imported twice is one post.
"""

from collections.abc import Mapping

from webapp.accounts import store as accounts
from webapp.core.bans.texts import find_ban
from webapp.core.errors import Invalid
from webapp.core.i18n.language_detection import detect
from webapp.core.store import Site, partition_of, script
from webapp.core.store.ids import imported_ids
from webapp.core.text.cleaning import clean_line
from webapp.core.text.entity_codec import pack_entities
from webapp.core.text.parser import MAX_CODE_POINTS, Unacceptable, parse
from webapp.site_settings import HIDE, REVIEW
from webapp.statuses import Visibility, keys as status_keys
from webapp.statuses.threads.replies import (
    ANCESTORS_MAX,
    Parent,
    conversation_of,
    reply_fields,
    unpack_path,
)
from webapp.statuses.values.visibility import resolve_visibility

from .old_posts import OldPost

IMPORT_POST = script("archive/posts/lua/import_post.lua")
WEIGHT_MAX = 2 * MAX_CODE_POINTS  # a post may be longer than new ones
Known = Mapping[str, int]  # the id here of each post, by its id there


def import_post(site: Site, uid: int, token: str, post: OldPost, known: Known) -> int:
    """Import one post, and return its id. One trip, three for a reply.

    `token`: of the import. `known`: the posts that it has imported before. Raises Invalid,
    Conflict, RefusedText, NotFound, Forbidden.
    """
    try:
        parsed = parse(post.text, WEIGHT_MAX)
    except Unacceptable as refusal:
        raise Invalid("import_long" if refusal.reason == "too_long" else "import_text") from None
    parent = _parent(site, uid, known.get(post.reply_to)) if post.reply_to else None
    visibility = resolve_visibility(
        Visibility(post.visibility), parent.visibility if parent else None
    )
    cw_max = site.config.cw_max
    cw = clean_line(" ".join(post.cw.split())[:cw_max], MAX_CODE_POINTS)[:cw_max]
    entities = [one for one in parsed.entities if one.kind != "mention"]  # of people elsewhere
    fields = {
        "author": str(uid),
        "text": parsed.text,
        "entities": pack_entities(entities),
        "cw": cw,
        "sensitive": "1" if post.sensitive else "",
        "visibility": visibility.value,
        "lang": detect(parsed.text, parsed.entities),
        "imported": f"{token} {post.source}",
        **reply_fields(parent),
    }
    if (ban := find_ban(site.config, parsed.text, cw)) and ban.action in (REVIEW, HIDE):
        fields["visibility"] = fields["visibility"] or Visibility.UNLISTED.value
    reply = site.run(
        IMPORT_POST,
        uid=uid,
        ids=" ".join(map(str, imported_ids(post.at, partition_of(uid)))),
        source=post.source,
        flagged=ban.value if ban else "",
        fields={name: value for name, value in fields.items() if value},
    )
    return int(reply)


def _parent(site: Site, uid: int, status_id: int | None) -> Parent:
    """Return the member's own post that a reply answers. Raises Invalid if it did not fit."""
    names = ("author", "ancestors", "root", "visibility", "reply_rule")
    key = status_keys.status(status_id or 0)
    author, ancestors, root, visibility, rule = site.db.run(("HMGET", key, *names))
    if author != str(uid):
        raise Invalid("import_reply")
    path = (*unpack_path(ancestors), (status_id or 0, uid))
    return Parent(
        site.db.read(accounts.get_or_404(uid)),
        path[-ANCESTORS_MAX - 1 :],
        conversation_of(path, root),
        Visibility(visibility or ""),
        rule or "",
    )
