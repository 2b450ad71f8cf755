"""The refusals of scripts, such as `refuse('TAKEN', login)`, as errors of the site.

A script's code is that of the sentence in capitals, without underscores: BLOCKSFULL, `blocks_full`.
"""

from .kinds import Conflict, Forbidden, NotFound, Refused, Unauthorized, Unavailable

# The codes of sentences by the error that scripts refuse with.
SENTENCES_BY_ERROR: dict[type[Refused], str] = {
    NotFound: """
        no_member no_status no_filter no_folder no_job no_list no_draft no_chat no_message
        no_drop no_item no_offer no_promotion no_group no_report no_group_request
    """,
    Forbidden: """
        not_yours not_followed cannot_like cannot_boost cannot_reply cannot_vote cannot_act
        cannot_list suspended not_in_chat only_owners taken_out chat_invite_bad not_in_group
        only_group_owners group_owner group_banned group_invite_bad own_draft
    """,
    Conflict: """
        taken stale settings_moved bans_full following_full requested_full bots_full blocks_full
        invite_used tags_full pinned_lists_full filters_full mutes_full hidden_boosts_full
        subscriptions_full notes_full hidden_replies_full poll_ended voted voted_full
        bookmarks_full status_kept act_done appealed invites_full folders_full folder_full
        folder_named jobs_full own_jobs_full candidates_full lists_full list_full list_named
        task_runs task_early drafts_full edited_meanwhile edit_late edits_full pins_full
        detached_full no_upload changed passkeys_full tokens_full searches_full apps_full
        rebuild_ended last_owner chat_full chat_of_group too_late message_changed request_waits
        reactions_full chat_invites_full funds points_refused drop_open own_item item_busy
        item_changed item_sold price_changed sale_not_open sale_ended bid_low bid_highest
        item_asked holds_full cart_full not_public promoted promotions_full promotion_state
        no_repair repaired zone_early group_full group_owners_full group_requests_full
        group_pins_full group_invite_banned group_invites_full group_last_owner no_voting
        own_vote vote_late featured_tags_full endorsements_full endorse_not_followed
        drop_kept drop_too_early slug_taken
    """,
    Unavailable: "overloaded",
}
# A script's code, its error, and the code of its sentence.
SCRIPT_ERRORS: dict[str, tuple[type[Refused], str]] = {
    sentence.replace("_", "").upper(): (error, sentence)
    for error, sentences in SENTENCES_BY_ERROR.items()
    for sentence in sentences.split()
} | {  # those with a sentence of another name
    "RENAMED": (Conflict, "renamed_lately"),
    "ISBOT": (Forbidden, "bot_password"),
    "BLOCKED": (Forbidden, "cannot_follow"),
    "IMPORTFULL": (Conflict, "import_date"),
    "REPLAYED": (Unauthorized, "oauth_replayed"),
    "NOTOPEN": (Conflict, "drop_not_open"),
    "CLOSED": (Conflict, "drop_closed"),
    "SOLDOUT": (Conflict, "drop_sold_out"),
    "AGAIN": (Conflict, "drop_again"),
}
