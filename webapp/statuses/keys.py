"""The keys of statuses, threads and quotes."""

from webapp.core.store.schema import Hash, MemberKey, PartitionKey, Set, StatusKey, String, ZSet

last_status_id = PartitionKey(
    "last_status_id",
    String(),
    bound="no bound: one value",
    doc="""The newest status id of the partition: the next one is later even when the clock steps
    back.""",
)

deleted_imports = PartitionKey(
    "deleted_imports",
    Set("status id"),
    bound="one for each imported post that was deleted",
    doc="The ids that no imported post gets again: bookmarks and boosts of them would show it.",
)

status = StatusKey(
    "status",
    Hash(),
    bound="kept until its author deletes it",
    doc="""A status: `author` (uid), `text`, `entities` (JSON: [kind, text, start, end] each;
    mentions only of members who existed when it was written), `lang` (BCP 47); `lat` and `long`
    (degrees), `place` (a name) and `cw` (a warning) where its author said so; `sensitive`, 1
    where its author covers its pictures, 2 where moderators do, 3 where both do; `media` (JSON:
    [name, width, height, alternative text, colours, focus, "", true if it is animated] each,
    without trailing empty values) where it has pictures; `described`, how often these were
    described anew, where they were; `edited` (unix ms) where it was; `imported` (a token of the
    import, a blank, and its id on the other site) where it was; `card` (JSON: [URL, title,
    description, picture] of its link) where it has one; `pinned`, 1 where it is; `likes`,
    `replies`, `boosts`, `quotes`, how many there are, where there are any; `quoted_id` and
    `quoted_uid`, what it quotes and the uid of whose that is; `quote_policy`, who may quote it,
    as in `user`, where that is not everyone; `poll` (JSON: [options, minutes, 1 for several
    choices]), which begins with the status, and `tally` (how often each option was chosen, and
    by how many). Unless everybody may reply: `reply_rule` (`f` those the thread's author
    follows, `m` those its first post names; that author's uid, and the uids of those it names).
    Of a reply: `reply_to_id` (the answered status), `reply_to_uid` and `reply_to_login` (its
    author), `ancestors` (the 21 statuses above it at most, as in `thread`) and, where these do
    not begin with the first post of the conversation, `root` (its id). Unless it is public:
    `visibility` (`u` unlisted, `f` followers, `m` mentioned) and, for the latter two,
    `mentioned` (the uids of those it names or answers, a blank around each).""",
)

profile_statuses = MemberKey(
    "profile",
    ZSet("id", "id"),
    bound="no bound: it is the index of what the member wrote",
    doc="A member's own statuses, without replies to others.",
)

profile_replies = MemberKey(
    "profile_replies",
    ZSet("`id:to`", "id"),
    bound="no bound: it is the index of what the member wrote",
    doc="A member's replies to others, each with the uid of who is answered.",
)

profile_media = MemberKey(
    "profile_media",
    ZSet("id", "id"),
    bound="no bound: it is the index of what the member wrote",
    doc="A member's statuses with pictures, of every visibility: pages check who may see each.",
)

FOLLOWERS_AUDIENCE = "followers"  # the audience of `restricted_statuses` that follows the author

restricted_statuses = MemberKey(
    "restricted",
    ZSet("`id`, or `id:to` of a reply to another", "id"),
    facets="<audience>",
    bound="no bound: it is the index of what the member wrote",
    doc="""Those of a member's statuses that not everybody may see, for each audience: the
    `followers`, whom each names or answers (by uid), and their author, for whom it holds them all.
    They are in neither `profile` nor `profile_replies`.""",
)


def authored_lists(uid: int) -> tuple[str, str, str]:
    """Return the keys of the lists that together hold each status of a member once."""
    return profile_statuses(uid), profile_replies(uid), restricted_statuses(uid, uid)


post_idempotency = MemberKey(
    "post_idempotency",
    String("ids, a blank between them"),
    facets="<form>",
    bound="POST_KEY_HOURS",
    doc="""The statuses that a form's key and text have made (`<form>` is their hash), so that a
    retried post is made once.""",
)
