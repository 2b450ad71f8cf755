-- Delete a draft. Its pictures are to be removed.
--
-- KEYS     draft       statuses.drafts.draft(uid, form_key)
--          drafts      statuses.drafts.drafts(uid)
--          scheduled   statuses.drafts.scheduled_posts(uid)
--          uploads     statuses.attachments.uploads(uid)
-- ARGV     automatic  1 if nobody asked for it, or '': then only one that is autosaved goes
-- RETURNS  its media, JSON, or ''; nothing if there was no draft, or it stays

if automatic ~= '' and not is_autosaved(draft) then return end
return remove_draft(draft, drafts, scheduled, uploads, uid, form_key)
