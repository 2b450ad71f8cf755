-- Purpose: say of a draft that was to be posted why it was not; it is not tried again until its author saves it anew.
-- KEYS: 1 = keys.draft  2 = keys.later   ARGV: 1 = uid  2 = form's key  3 = when the draft that was tried was saved  4 = reason
-- Returns: 1, or 0 when it is another draft by now, or none   Writes: all keys
local draft, later = unpack(KEYS)
local uid, form, saved, reason = unpack(ARGV)
local now = redis.call('HGET', draft, 'saved')
if now and now ~= saved then return 0 end
redis.call('ZREM', later, uid .. ':' .. form)
if not now then return 0 end
redis.call('HDEL', draft, 'due')
redis.call('HSET', draft, 'failed', reason)
return 1
