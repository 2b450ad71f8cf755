-- Delete a draft. Its pictures are to be removed.
--
-- KEYS     draft       statuses.drafts.draft(uid, form_key)
--          drafts      statuses.drafts.drafts(uid)
--          scheduled   statuses.drafts.scheduled_posts(uid)
--          uploads     statuses.attachments.uploads(uid)
-- ARGV     uid
--          form_key
-- RETURNS  its media, JSON, or ''; nothing if there was no draft
-- WRITES   all keys
-- include statuses/drafts/lua/includes/remove_draft.lua

return remove_draft(draft, drafts, scheduled, uploads, uid, form_key)
