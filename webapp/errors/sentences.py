"""The sentence that a person reads for each refusal, by its code."""

from __future__ import annotations

from flask_babel import lazy_gettext as _l

SENTENCES = {
    "taken": _l("That name is taken. Please choose another one."),
    "stale": _l("That took too long. Please try again."),
    "no_member": _l("There is no such member."),
    "no_status": _l("That status does not exist, or its author deleted it."),
    "not_yours": _l("Only its author can do that."),
    "not_admin": _l("Only those who run the site may see this page."),
    "yourself": _l("You cannot follow yourself."),
    "following_full": _l("You follow as many members as anyone may. Unfollow someone first."),
    "requested_full": _l(
        "You have asked as many members as anyone may. Take a request back first."
    ),
    "requests_full": _l(
        "Very many people are asking to follow this member. Please try again later."
    ),
    "block_yourself": _l("You cannot block yourself."),
    "elsewhere": _l("That came from another site."),
    "who_are_you_here": _l("Sign in first, or send an access token (Authorization: Bearer …)."),
    "bad_json": _l("The body is no JSON object."),
    "bad_text": _l("A message needs a text, without characters that no text has."),
    "text_long": _l("That message is too long."),
    "bad_reply": _l("A reply names the id of a message, a number."),
    "bad_key": _l("A key has 8 to 64 letters, digits, - or _."),
    "bad_number": _l("That is no number of ours."),
    "one_place": _l(
        "Ask for what is before a message, after it or around it, not for several of these."
    ),
    "bad_fetched": _l("Name a chat and the id of a message, a number, for each."),
    "bot_password": _l("A bot has no password. Its owner speaks for it."),
    "bots_full": _l("You have as many bots as anyone may. Delete one first."),
    "no_bot": _l("You have no such bot."),
    "bots_own_bots": _l("A bot cannot have bots."),
    "mute_yourself": _l("You cannot mute yourself."),
    "no_filter": _l("There is no such filter."),
    "filters_full": _l("You have as many filters as anyone may. Delete one first."),
    "mutes_full": _l("You mute as many members as anyone may. Unmute someone first."),
    "bad_time": _l("Choose how long from the list."),
    "you_block": _l("You block this member, so their posts are not shown to you."),
    "not_for_you": _l("This member does not show you what they write."),
    "blocks_full": _l("You block as many members as anyone may. Unblock someone first."),
    "no_tag": _l("That cannot be a hashtag: it takes letters, and perhaps digits and underscores."),
    "tags_full": _l("You follow as many hashtags as anyone may. Unfollow one first."),
    "cannot_like": _l("You cannot like this post."),
    "cannot_boost": _l("You cannot boost this post."),
    "not_for_boosts": _l("Not everybody may see this post, so it cannot be boosted."),
    "cannot_reply": _l("You cannot reply to this post."),
    "only_followed": _l(
        "Only members whom the author of this thread follows, "
        "or names in its first post, can reply."
    ),
    "only_mentioned": _l("Only members whom the first post of this thread names can reply."),
    "cannot_quote": _l("You cannot quote this post."),
    "not_for_quotes": _l("Not everybody may see this post, so it cannot be quoted."),
    "bad_quoting": _l("Choose from the list who may quote this post."),
    "quoted_by_nobody": _l("Its author lets nobody else quote this post."),
    "quoted_by_followers": _l("Only those who follow its author can quote this post."),
    "detached_full": _l("This post is taken out of as many quotes as a post can be."),
    "too_visible": _l(
        "A reply cannot be seen by more people than the post it replies to. Choose fewer."
    ),
    "not_for_chats": _l("Not everybody may see this post, so it cannot be sent in a chat."),
    "early": _l("That came too soon after the post. Please try again in a moment."),
    "cannot_vote": _l("You cannot vote in this poll."),
    "no_poll": _l("There is no poll here."),
    "own_poll": _l("You cannot vote in your own poll."),
    "poll_ended": _l("This poll has ended."),
    "voted": _l("You have voted in this poll, and a vote is for good."),
    "voted_full": _l(
        "You have voted in as many polls as anyone may within a week. "
        "Please wait until some have ended."
    ),
    "bad_vote": _l("Choose one of the answers first."),
    "bookmarks_full": _l("You have as many bookmarks as anyone may. Take one away first."),
    "no_list": _l("There is no such list, or it is not open to you."),
    "lists_full": _l("You have as many lists as anyone may. Delete one first."),
    "list_full": _l("That list has as many members as it may. Take someone off it first."),
    "list_named": _l("You have a list of that name already."),
    "list_yourself": _l("You cannot be on your own list: your posts are on your profile."),
    "cannot_list": _l("You cannot put this member on a list."),
    "drafts_full": _l("You have as many drafts as anyone may. Post or delete one first."),
    "no_draft": _l("That draft is not there any more."),
    "no_upload": _l("The pictures took too long. Please choose them again."),
    "draft_invalid": _l("It cannot be posted as it is."),
    "edited_meanwhile": _l(
        "You have changed this post meanwhile. Look at what it says now before you save this."
    ),
    "edit_late": _l("A post can be edited for a while only. For this one it is over."),
    "edits_full": _l("This post has been edited as often as a post may."),
    "pins_full": _l("You have as many pinned posts as anyone may. Unpin one first."),
    "cannot_follow": _l("You cannot follow this member."),
    "overloaded": _l("We are catching up with a rush of activity. Please try again in a moment."),
    "store_down": _l("Our data store does not answer. Please try again in a moment."),
    "suspended": _l("This account is suspended."),
    "changed": _l("Your account has changed meanwhile. Please try again."),
    "closed": _l("This site takes no new members at the moment."),
    "invite_needed": _l("New members come by invitation here. Ask a member for a link."),
    "invite_bad": _l("This invitation is not valid any more. Ask for a new link."),
    "tokens_full": _l("You have as many tokens as anyone may. Revoke one first."),
    "apps_full": _l("You have as many apps as anyone may. Revoke one first."),
    "who_are_you": _l("Sign in first, send an access token, or sign the request."),
    "bad_token": _l("This access token is not valid, or not any more."),
    "bad_identifier": _l("An identifier has 1 to 100 characters."),
    "bad_address": _l("The address of this request cannot be read."),
    "oauth_malformed": _l("The OAuth parameters are not complete, or not well-formed."),
    "oauth_body": _l(
        "Send the parameters of a signed request as a form (application/x-www-form-urlencoded)."
    ),
    "oauth_method": _l("Sign with HMAC-SHA1. Other signature methods are not accepted."),
    "oauth_clock": _l(
        "The timestamp of this request is more than 5 minutes off. Set your clock right."
    ),
    "oauth_signature": _l(
        "The signature does not fit. Check the keys, the secrets and the address that was signed."
    ),
    "oauth_replayed": _l("This signed request has come before. Sign each request anew."),
    "no_picture": _l("There is no such picture."),
    "not_your_password": _l("That is not your password."),
    "wrong_password": _l("That name and password do not match."),
    "bad_cursor": _l("That page number is not one of ours. Start again from the newest."),
    "too_many_uploads": _l(
        "Many pictures are being sent at the moment. Please try again in a moment."
    ),
    "no_chat": _l("There is no such chat, or it is not open to you."),
    "no_message": _l("There is no such message, or it is not kept any more."),
    "not_in_chat": _l("You do not belong to this chat."),
    "only_owners": _l("Only an owner of this chat can do that."),
    "last_owner": _l("A chat has at least one owner. Make somebody else one first."),
    "taken_out": _l("An owner has taken you out of this chat. Only an owner can bring you back."),
    "chat_invite_bad": _l("This invitation is not valid any more. Ask for a new one."),
    "chat_full": _l("This chat has as many members as it may."),
    "chats_full": _l("You have as many chats as anyone may. Leave one first."),
    "their_chats_full": _l("One of them has as many chats as anyone may."),
    "too_late": _l("That can be done for a day only."),
    "message_changed": _l("The message has changed meanwhile. Please look at it again."),
    "request_waits": _l("They have not answered yet. You can write more once they do."),
    "reactions_full": _l("This message has as many different reactions as it may."),
    "chat_invites_full": _l("This chat has as many invitations as it may. Revoke one first."),
    "cannot_write_them": _l("You cannot write to this member."),
    "body_deadline": _l("Your request took too long to arrive."),
}
