"""What statuses, threads and quotes store."""

from __future__ import annotations

from webapp.core.store.schema import Hash, List, MemberKey, PartitionKey, StatusKey, String, ZSet

post_rate_limit = MemberKey(
    "limit",
    String("unix microseconds"),
    suffix="post",
    bound="expires when empty",
    writers="`statuses/lua/post.lua`",
    doc="The same for a member's posts, which the script that posts looks at.",
)


last_status_id = PartitionKey(
    "last_status_id",
    String(),
    bound="no bound: one value",
    writers="`statuses/lua/post.lua`, `statuses/interactions/lua/boost.lua`",
    doc=(
        "The newest status id of the partition: the next one is later even when the "
        "clock steps back."
    ),
)


status = StatusKey(
    "status",
    Hash(),
    bound="kept until its author deletes it",
    writers=(
        "`statuses/lua/post.lua`, `statuses/lua/delete.lua`, "
        "`statuses/attachments/lua/remove_locations.lua`, "
        "`statuses/interactions/lua/sync_interaction.lua`, "
        "`statuses/threads/lua/sync_reply.lua`, `statuses/polls/lua/sync_vote.lua`, "
        "`statuses/quotes/lua/sync_quote.lua`, `statuses/edits/lua/edit.lua`, "
        "`statuses/edits/lua/pin.lua`, `statuses/edits/lua/unpin.lua`, "
        "`statuses/visibility/lua/set_quote_policy.lua`"
    ),
    doc=(
        "A status: `author` (uid), `text`, `entities` (JSON: [kind, text, start, end] each), "
        "`lang` (BCP 47); `lat`, `long` (degrees), `place` (a name) and `cw` (a warning) "
        "where its author said so; `media` (JSON: [name, width, height, alternative text, "
        "colours, focus] each) where it has pictures; `edited` (unix ms) where it was; "
        "`pinned`, 1 where it is; `likes`, `replies`, `boosts`, `quotes`, how many there are, "
        "where there are any; `quote` and `quoted`, what it quotes and the uid of whose that "
        "is; `quoting`, who may quote it, as in `user`, where that is not everyone; `poll` "
        "(JSON: [options, minutes, 1 for several choices]), which begins with the status, and "
        "`tally` (how often each option was chosen, and by how many). Unless everybody may "
        "reply: `may` (`f` whom the thread's author follows, `m` whom its first post names; "
        "that author's uid, and those of whom it names). Of a reply: `reply` (the answered "
        "status), `to` and `to_login` (its author's uid and name), `above` (the 21 statuses "
        "above it at most, as in `thread`). Unless it is public: `vis` (`u` unlisted, `f` "
        "followers, `m` mentioned) and, for the latter two, `who` (the uids of whom it names "
        "or answers, a blank around each)."
    ),
)


status_versions = StatusKey(
    "status_versions",
    List(),
    bound="EDITS_MAX; goes with the status",
    writers=(
        "`statuses/edits/lua/edit.lua`, `statuses/lua/delete.lua`, "
        "`statuses/lua/purge_deleted_account.lua`"
    ),
    doc=(
        "What a status said before it was edited, the oldest first: JSON of its `text`, "
        "`entities`, `lang` and `cw`, and `at`, when it began to say so (unix ms, nothing for "
        "the first)."
    ),
)


profile_statuses = MemberKey(
    "profile",
    ZSet("id", "id"),
    bound="no bound: it is the index of what the member wrote",
    writers=(
        "`statuses/lua/post.lua`, `statuses/lua/delete.lua`, "
        "`statuses/lua/purge_deleted_account.lua`"
    ),
    doc="A member's own statuses, without replies to others.",
)


profile_replies = MemberKey(
    "profile_replies",
    ZSet("`id:to`", "id"),
    bound="no bound: it is the index of what the member wrote",
    writers=(
        "`statuses/lua/post.lua`, `statuses/lua/delete.lua`, "
        "`statuses/lua/purge_deleted_account.lua`"
    ),
    doc="A member's replies to others, each with the uid of who is answered.",
)


pinned_statuses = MemberKey(
    "pinned",
    ZSet("status id", "unix ms, made unique"),
    bound="PINNED_MAX",
    writers=(
        "`statuses/edits/lua/pin.lua`, `statuses/edits/lua/unpin.lua`, "
        "`statuses/lua/delete.lua`, `statuses/lua/purge_deleted_account.lua`"
    ),
    doc="Which of their own statuses a member has pinned to the profile.",
)


FOLLOWERS_AUDIENCE = "followers"  # the audience of `restricted_statuses` that follows the author


restricted_statuses = MemberKey(
    "restricted",
    ZSet("`id`, or `id:to` of a reply to another", "id"),
    facets="<audience>",
    bound="no bound: it is the index of what the member wrote",
    writers=(
        "`statuses/lua/post.lua`, `statuses/lua/delete.lua`, "
        "`statuses/lua/purge_deleted_account.lua`"
    ),
    doc=(
        "Those of a member's statuses that not everybody may see, for each audience: the "
        "`followers`, whom each names or answers (by uid), and their author, for whom it "
        "holds them all. They are neither in `profile` nor in `replied`."
    ),
)


def authored_lists(uid: int) -> tuple[str, str, str]:
    """The lists that hold all that a member wrote, each once."""
    return profile_statuses(uid), profile_replies(uid), restricted_statuses(uid, uid)


post_idempotency = MemberKey(
    "post_idempotency",
    String("id"),
    facets="<form>",
    bound="POST_KEY_HOURS",
    writers="`statuses/lua/post.lua`",
    doc=(
        "The status that a form's key and text have made (`<form>` is their hash), so that a "
        "retried post is one status."
    ),
)


replies = StatusKey(
    "replies",
    ZSet(
        "id",
        (
            "id; below zero for a reply that is for followers to what is for everybody, "
            "which counts only while who wrote that is protected"
        ),
    ),
    bound="no bound: as many as choose to answer; goes with the status",
    writers=(
        "`statuses/threads/lua/sync_reply.lua`, `statuses/lua/delete.lua`, "
        "`statuses/lua/purge_deleted_account.lua`"
    ),
    doc="The replies to a status.",
)


thread = StatusKey(
    "thread",
    ZSet("way", "0"),
    bound="no bound: as many as choose to answer; goes with the status",
    writers=(
        "`statuses/threads/lua/sync_reply.lua`, `statuses/lua/delete.lua`, "
        "`statuses/lua/purge_deleted_account.lua`"
    ),
    doc=(
        "All that hangs below a status, ten levels down: of each reply the way to it, "
        "`id.author` with `/` between, ids of 16 digits. In their own order that is depth "
        "first, the oldest first."
    ),
)


quotes = StatusKey(
    "quotes",
    ZSet("`id:author`", "id"),
    bound="no bound: as many as choose to quote it; goes with the status",
    writers=(
        "`statuses/quotes/lua/sync_quote.lua`, `statuses/lua/delete.lua`, "
        "`statuses/lua/purge_deleted_account.lua`"
    ),
    doc="The quotes of a status that everybody may see.",
)


detached_quotes = StatusKey(
    "detached",
    ZSet("id of the quote", "unix ms"),
    bound="DETACHED_MAX; a quote that is deleted goes",
    writers=(
        "`statuses/quotes/lua/detach.lua`, `statuses/quotes/lua/reattach.lua`, "
        "`statuses/quotes/lua/sync_quote.lua`, `statuses/lua/delete.lua`, "
        "`statuses/lua/purge_deleted_account.lua`"
    ),
    doc="The quotes in which a status is not shown, as its author wishes: the truth about that.",
)
