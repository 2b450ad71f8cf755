-- Purpose: delete a draft.
-- KEYS: 1 = keys.draft  2 = keys.drafts (of one member)  3 = keys.later   ARGV: 1 = uid  2 = form's key
-- Returns: 1, or 0 when there was none   Writes: all keys
-- include statuses/drafts/lua/includes/remove_draft.lua
return forget_draft(KEYS[1], KEYS[2], KEYS[3], ARGV[1], ARGV[2])
