-- Save a draft, or schedule it. The same form key is the same draft.
--
-- KEYS     draft      hash
--          drafts     zset: form key -> unix ms
--          user       hash: the member
--          scheduled  zset: uid:form key -> unix ms
-- ARGV     uid
--          form_key
--          fields     of the form, JSON
--          due        unix ms, or ''
--          limit      most drafts of one member
-- RETURNS  1
-- ERRORS   NOMEMBER, SUSPENDED, DRAFTSFULL
-- WRITES   draft, drafts, scheduled
-- include core/store/lua/includes/scores.lua
-- include accounts/lua/includes/require_active.lua

local refusal = require_active(user, uid)
if refusal then return refusal end
local is_new = not redis.call('ZSCORE', drafts, form_key)
if is_new and redis.call('ZCARD', drafts) >= tonumber(limit) then
  return redis.error_reply('DRAFTSFULL ' .. limit)
end

local saved = next_score(drafts)
redis.call('DEL', draft)
redis.call('HSET', draft, 'fields', fields, 'saved', saved)
redis.call('ZADD', drafts, saved, form_key)
if due == '' then
  redis.call('ZREM', scheduled, uid .. ':' .. form_key)
else
  redis.call('HSET', draft, 'due', due)
  redis.call('ZADD', scheduled, due, uid .. ':' .. form_key)
end
return 1
