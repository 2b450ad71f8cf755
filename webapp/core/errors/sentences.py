"""The sentence that a person reads for each refusal, by its code."""

from flask_babel import lazy_gettext as _l

from .room_sentences import ROOM_SENTENCES

SENTENCES = ROOM_SENTENCES | {
    "taken": _l("That username is taken. Please choose another one."),
    "no_mail": _l("This site doesn’t send mail."),
    "bad_code": _l("That code is wrong or too old. Please ask for a new one."),
    "bad_unsubscribe_link": _l("This link ends no messages. Change them in your settings."),
    "bad_reset_link": _l("That link is too old or was already used. Please ask for a new one."),
    "address_taken": _l("That address belongs to another account."),
    "renamed_lately": _l("You changed your username a short time ago. Please try again later."),
    "stale": _l("That took too long. Please try again."),
    "settings_moved": _l(
        "Someone else changed these settings in the meantime. Check theirs, then save yours again."
    ),
    "bans_full": _l("This list is full. Remove an entry first."),
    "refused_text": _l("This text has a word or link that this site does not allow."),
    "refused_network": _l("This site accepts nothing from your network at the moment."),
    "only_admins_change": _l("Only admins can change this list."),
    "no_setting": _l("This change is no longer in the history."),
    "maintenance": _l("We’re working on the site right now. Please come back in a few minutes."),
    "no_member": _l("This member doesn’t exist."),
    "no_status": _l("This post doesn’t exist or was deleted."),
    "not_yours": _l("Only the author can do that."),
    "not_admin": _l("Only the people who run this site can see this page."),
    "factor_needed": _l(
        "This site asks its moderators and admins for a second factor. Set up two-step login or a "
        "passkey here, then open that page again."
    ),
    "factor_unused": _l(
        "This site asks its moderators and admins for a second factor. Log out, then log in with "
        "your passkey or a code of your app, and try again."
    ),
    "waiting": _l("Your account waits for a moderator. Please try again later."),
    "declined": _l("The moderators declined your sign-up. Your account was deleted."),
    "not_moderator": _l("Only moderators can see this page."),
    "cannot_act": _l("You can’t do that to this member."),
    "act_done": _l("That was done already."),
    "no_act": _l("This decision doesn’t exist."),
    "appealed": _l("You can appeal against a decision only once."),
    "yourself": _l("You can’t follow yourself."),
    "following_full": _l("You’ve reached the limit for follows. Unfollow someone first."),
    "requested_full": _l("You’ve reached the limit for follow requests. Cancel one first."),
    "requests_full": _l(
        "This member has too many follow requests right now. Please try again later."
    ),
    "block_yourself": _l("You can’t block yourself."),
    "password_due": _l(
        "Choose a new password first. The present one was chosen for you, or many people use it."
    ),
    "signed_out": _l("You’re logged out. Log in to send what you wrote."),
    "form_expired": _l("This form was no longer valid. Check what you wrote, and send it again."),
    "elsewhere": _l("That request came from another site."),
    "who_are_you_here": _l("Log in first, or send an access token (Authorization: Bearer …)."),
    "bad_body": _l("Send a form in UTF-8, or JSON with “Content-Type: application/json”."),
    "bad_json": _l("The request body isn’t a JSON object."),
    "bad_text": _l("A message needs text without control characters."),
    "text_long": _l("That message is too long."),
    "bad_in_reply_to_id": _l("“in_reply_to_id” must be a message id (a number)."),
    "bad_key": _l("The Idempotency-Key must have 8 to 64 letters, digits, - or _."),
    "bad_emoji": _l("That isn’t an emoji. Choose one emoji."),
    "bad_name": _l("Enter a name for the group chat."),
    "bad_members": _l("“members” must be a list of ids and usernames, not longer than a chat."),
    "bad_invitation": _l("“invitation” must be the link of an invitation."),
    "no_changes": _l("Name at least one field to change."),
    "not_a_group": _l("You can’t leave a direct chat. Archive it, or block the other person."),
    "bad_number": _l("That number isn’t valid."),
    "bad_limit": _l("“limit” must be a number from 1 to 100."),
    "one_place": _l("Use only one of before, after and around."),
    "bad_fetched": _l("Give a message id (a number) for each chat."),
    "bot_password": _l("A bot has no password. Its owner manages it."),
    "bots_full": _l("You’ve reached the limit for bots. Delete one first."),
    "no_bot": _l("You don’t have a bot with that username."),
    "bots_own_bots": _l("A bot can’t have bots."),
    "mute_yourself": _l("You can’t mute yourself."),
    "bad_subscription": _l("This browser’s notifications can’t be used here."),
    "no_push_device": _l("That device doesn’t get notifications anymore."),
    "no_feed": _l("This feed doesn’t exist, or its address has ended."),
    "no_filter": _l("This filter doesn’t exist."),
    "filters_full": _l("You’ve reached the limit for filters. Delete one first."),
    "mutes_full": _l("You’ve reached the limit for mutes. Unmute someone first."),
    "report_yourself": _l("You can’t report yourself or your own posts."),
    "likes_hidden": _l("This member doesn’t show what they like."),
    "hide_own_boosts": _l("You can’t hide your own boosts."),
    "hidden_boosts_full": _l(
        "You’ve hidden the boosts of 1,000 people. Show someone’s again first."
    ),
    "note_yourself": _l("You can’t write a note about yourself."),
    "notes_full": _l("You have notes about 5,000 people. Remove one to write another."),
    "subscriptions_full": _l(
        "You’re notified of the posts of 500 people. Turn it off for someone first."
    ),
    "not_followed": _l("To be notified of someone’s posts, follow them first."),
    "endorsements_full": _l("Your profile features 100 people. Take someone off first."),
    "endorse_not_followed": _l("To feature someone on your profile, follow them first."),
    "hidden_replies_full": _l("You’ve hidden 5,000 replies. Show some of them again first."),
    "not_your_thread": _l("You can only hide replies in threads that you started."),
    "bad_time": _l("Choose a duration from the list."),
    "you_block": _l("You’ve blocked this member, so you don’t see their posts."),
    "not_for_you": _l("This member doesn’t share their posts with you."),
    "blocks_full": _l("You’ve reached the limit for blocks. Unblock someone first."),
    "no_tag": _l(
        "That isn’t a valid hashtag. Use letters, digits and underscores, with at least one letter."
    ),
    "pinned_lists_full": _l("You’ve pinned as many lists as fit on Home. Unpin one first."),
    "tags_full": _l("You’ve reached the limit for followed hashtags. Unfollow one first."),
    "featured_tags_full": _l("Your profile has as many hashtags as fit. Remove one first."),
    "cannot_like": _l("You can’t like this post."),
    "cannot_boost": _l("You can’t boost this post."),
    "not_for_boosts": _l("This post isn’t public, so it can’t be boosted."),
    "cannot_reply": _l("You can’t reply to this post."),
    "only_followed": _l(
        "Only people the author follows or mentions in the first post can reply to this thread."
    ),
    "only_mentioned": _l("Only people mentioned in the first post can reply to this thread."),
    "cannot_quote": _l("You can’t quote this post."),
    "not_for_quotes": _l("This post isn’t public, so it can’t be quoted."),
    "bad_quote_policy": _l("Choose from the list who can quote this post."),
    "quoted_by_nobody": _l("The author doesn’t let others quote this post."),
    "quoted_by_followers": _l("Only the author’s followers can quote this post."),
    "detached_full": _l("You’ve reached the limit for removing this post from quotes."),
    "too_visible": _l(
        "A reply can’t reach more people than the post it replies to. Choose a smaller audience."
    ),
    "not_for_chats": _l("This post isn’t public, so it can’t be sent in a chat."),
    "cannot_vote": _l("You can’t vote in this poll."),
    "no_poll": _l("This post has no poll."),
    "own_poll": _l("You can’t vote in your own poll."),
    "poll_ended": _l("This poll has ended."),
    "voted": _l("You already voted in this poll. Votes can’t be changed."),
    "voted_full": _l(
        "You’ve reached the limit for polls in a week. Please wait until some have ended."
    ),
    "bad_vote": _l("Choose one of the answers first."),
    "bookmarks_full": _l("You’ve reached the limit for bookmarks. Remove one first."),
    "status_kept": _l("This post is kept."),
    "no_folder": _l("This folder doesn’t exist."),
    "folders_full": _l("You’ve reached the limit for folders. Delete one first."),
    "folder_full": _l("This folder is full. Remove a post from it first."),
    "folder_named": _l("You already have a folder with that name."),
    "no_job": _l("This job offer doesn’t exist, or has ended."),
    "jobs_full": _l("There are too many open job offers right now. Please try again later."),
    "own_jobs_full": _l("You’ve reached the limit for open job offers. Close one first."),
    "candidates_full": _l("Too many members show their skills right now. Save yours without that."),
    "no_list": _l("This list doesn’t exist, or you can’t see it."),
    "lists_full": _l("You’ve reached the limit for lists. Delete one first."),
    "list_full": _l("This list is full. Remove someone first."),
    "list_named": _l("You already have a list with that name."),
    "list_yourself": _l("You can’t add yourself to your own list. Your posts are on your profile."),
    "cannot_list": _l("You can’t add this member to a list."),
    "task_runs": _l("The last one isn’t finished yet. Please wait for it."),
    "task_early": _l("You can make one archive a day. Please try again later."),
    "import_gone": _l("That import can’t be removed any more."),
    "no_archive": _l("This file doesn’t exist, or is no longer kept."),
    "drafts_full": _l("You’ve reached the limit for drafts. Post or delete one first."),
    "no_draft": _l("This draft no longer exists."),
    "no_upload": _l("Some pictures are gone. Please choose them again."),
    "posted_late": _l("This couldn’t be posted on time."),
    "in_review": _l(
        "A moderator reviews this before it’s published. Until then it’s among your drafts."
    ),
    "withheld": _l("The moderators decided not to publish this."),
    "review_first": _l("This post isn’t published yet. Choose “Publish” or “Don’t publish” first."),
    "not_waiting": _l("This isn’t waiting for review, or its author has changed it since."),
    "own_draft": _l("Another moderator has to decide about a post of yours."),
    "draft_invalid": _l("This draft has a problem. Open it to see what."),
    "edited_meanwhile": _l(
        "You’ve edited this post in the meantime. Check the current version before you save."
    ),
    "edit_late": _l("It’s too late to edit this post."),
    "edits_full": _l("This post has reached the limit for edits."),
    "pins_full": _l("You’ve reached the limit for pinned posts. Unpin one first."),
    "cannot_follow": _l("You can’t follow this member."),
    "overloaded": _l("The site is very busy right now. Please try again in a moment."),
    "not_replicated": _l("We couldn’t save that safely just now. Please try again in a moment."),
    "read_only": _l(
        "We can’t save anything right now. You can still read. Please try again later."
    ),
    "store_down": _l("We can’t reach our data right now. Please try again in a moment."),
    "unkept": _l("We can’t store pictures right now. Please try again later."),
    "suspended": _l("This account is suspended."),
    "changed": _l("Your account has changed in the meantime. Please try again."),
    "closed": _l("This site isn’t taking new members right now."),
    "invite_needed": _l("You need an invitation to join. Ask a member for a link."),
    "invite_bad": _l("This invitation is no longer valid. Ask for a new link."),
    "has_members": _l("This site has an owner already. Log in, or sign up."),
    "invites_full": _l(
        "You’ve made as many invitations as you may for now. Wait until one expires."
    ),
    "no_invite": _l("There is no such invitation."),
    "invite_used": _l("Somebody has joined with this invitation already."),
    "cannot_invite": _l("Members can’t invite others here right now."),
    "tokens_full": _l("You’ve reached the limit for tokens. Revoke one first."),
    "apps_full": _l("You’ve reached the limit for apps. Revoke one first."),
    "who_are_you": _l("Log in first, send an access token, or sign the request."),
    "bad_token": _l("This access token isn’t valid."),
    "bad_identifier": _l("An identifier has 1 to 100 characters."),
    "bad_address": _l("The address of this request can’t be read."),
    "oauth_malformed": _l("The OAuth parameters are incomplete or malformed."),
    "oauth_body": _l(
        "Send the parameters of a signed request as a form (application/x-www-form-urlencoded)."
    ),
    "oauth_method": _l("Sign with HMAC-SHA1. Other signature methods are not accepted."),
    "oauth_clock": _l(
        "The timestamp of this request is more than 5 minutes off. Check your clock."
    ),
    "oauth_signature": _l(
        "The signature doesn’t match. Check the keys, the secrets and the signed address."
    ),
    "searches_full": _l("You’ve reached the limit for saved searches. Remove one first."),
    "no_query": _l("Add what to search for to the address: ?q=…"),
    "rebuild_ended": _l("Another rebuild of the search index has begun."),
    "oauth_replayed": _l("This signed request was already used. Sign every request separately."),
    "no_picture": _l("This picture doesn’t exist."),
    "bad_language": _l("That isn’t a language. Choose one from the list."),
    "bad_cursor": _l("That page doesn’t exist. Start again from the first page."),
    "too_many_uploads": _l(
        "Many pictures are being uploaded right now. Please try again in a moment."
    ),
    "no_chat": _l("This chat doesn’t exist, or you can’t see it."),
    "empty_message": _l("Write something first."),
    "no_message": _l("This message doesn’t exist or was deleted."),
    "not_in_chat": _l("You’re not in this chat."),
    "only_owners": _l("Only an owner of this chat can do that."),
    "last_owner": _l("A chat needs an owner. Make someone else an owner first."),
    "taken_out": _l("An owner removed you from this chat. Only an owner can add you back."),
    "chat_invite_bad": _l("This invitation is no longer valid. Ask for a new one."),
    "chat_full": _l("This chat is full."),
    "chat_of_group": _l("This chat belongs to a group, which decides who is in it."),
    "chats_full": _l("You’ve reached the limit for chats. Leave one first."),
    "their_chats_full": _l("One of them has reached the limit for chats."),
    "too_late": _l("Messages can only be edited within a day."),
    "message_changed": _l("This message has changed in the meantime. Check it and try again."),
    "request_waits": _l("They haven’t accepted yet. You can send more messages once they do."),
    "reactions_full": _l("This message has reached the limit for different reactions."),
    "chat_invites_full": _l("This chat has reached the limit for invitations. Revoke one first."),
    "cannot_write_them": _l("You can’t message this member."),
    "body_too_large": _l("That’s larger than we accept."),
    "body_incomplete": _l("Part of your request didn’t arrive. Please try again."),
    "body_deadline": _l("Your request took too long to arrive."),
}
