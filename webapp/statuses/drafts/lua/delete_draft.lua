-- Delete a draft. Its pictures are to be removed.
--
-- KEYS     draft      hash
--          drafts     zset: form key -> unix ms
--          scheduled  zset: uid:form key -> unix ms
--          uploads    zset: pictures that nothing shows
-- ARGV     uid
--          form_key
-- RETURNS  its media, JSON, or ''; nothing if there was no draft
-- WRITES   all keys
-- include statuses/drafts/lua/includes/remove_draft.lua

return remove_draft(draft, drafts, scheduled, uploads, uid, form_key)
