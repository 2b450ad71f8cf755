-- Delete a draft.
--
-- KEYS     draft      hash
--          drafts     zset: form key -> unix ms
--          scheduled  zset: uid:form key -> unix ms
-- ARGV     uid
--          form_key
-- RETURNS  1, or 0 if there was none
-- WRITES   all keys
-- include statuses/drafts/lua/includes/remove_draft.lua

return remove_draft(draft, drafts, scheduled, uid, form_key)
