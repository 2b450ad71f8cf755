-- Purpose: keep what somebody is writing; with a time, to be posted then. The same form's key is the same draft.
-- KEYS: 1 = keys.draft  2 = keys.drafts  3 = keys.user (all of one member)  4 = keys.later
-- ARGV: 1 = uid  2 = form's key  3 = fields, JSON  4 = when it is due, unix ms, or ''  5 = DRAFTS_MAX
-- Returns: 1   Errors: NOMEMBER, SUSPENDED, DRAFTSFULL   Writes: KEYS 1, 2, 4
-- include core/store/lua/includes/ids.lua
local draft, drafts, user, later = unpack(KEYS)
local uid, form, fields, due, most = unpack(ARGV)
local member = redis.call('HMGET', user, 'login', 'suspended')
if not member[1] then return redis.error_reply('NOMEMBER ' .. uid) end
if member[2] then return redis.error_reply('SUSPENDED ' .. uid) end
if not redis.call('ZSCORE', drafts, form) and redis.call('ZCARD', drafts) >= tonumber(most) then
  return redis.error_reply('DRAFTSFULL ' .. most)
end
local newest = redis.call('ZRANGE', drafts, -1, -1, 'WITHSCORES')
local saved = id_text(math.max(now_ms(), tonumber(newest[2] or 0) + 1))
redis.call('DEL', draft)
redis.call('HSET', draft, 'fields', fields, 'saved', saved)
redis.call('ZADD', drafts, saved, form)
if due == '' then
  redis.call('ZREM', later, uid .. ':' .. form)
else
  redis.call('HSET', draft, 'due', due)
  redis.call('ZADD', later, due, uid .. ':' .. form)
end
return 1
