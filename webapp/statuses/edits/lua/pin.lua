-- Purpose: pin one's own status to the profile, and tell the worker. The status says so too, for its author's buttons.
-- KEYS: 1 = keys.pinned  2 = keys.status  3 = keys.user  4 = keys.outbox
-- ARGV: 1 = uid  2 = id  3 = PINNED_MAX  4 = partition  5 = OUTBOX_MAX  6 = rid
-- Returns: 1, or 0 when it is so already
-- Errors: NOSTATUS, NOTYOURS, NOMEMBER, SUSPENDED, PINSFULL, OVERLOADED   Writes: KEYS 1, 2, 4
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/emit.lua
-- include statuses/visibility/lua/includes/restricted_lists.lua
local pinned, status, user, outbox = unpack(KEYS)
local uid, id, most, partition, max, rid = unpack(ARGV)
local author, vis = unpack(redis.call('HMGET', status, 'author', 'vis'))
if unknown(author, uid, vis, user) then return redis.error_reply('NOSTATUS ' .. id) end
if author ~= uid then return redis.error_reply('NOTYOURS ' .. id) end
local member = redis.call('HMGET', user, 'login', 'suspended')
if not member[1] then return redis.error_reply('NOMEMBER ' .. uid) end
if member[2] then return redis.error_reply('SUSPENDED ' .. uid) end
if redis.call('ZSCORE', pinned, id) then return 0 end
if redis.call('ZCARD', pinned) >= tonumber(most) then return redis.error_reply('PINSFULL ' .. most) end
local refusal = behind(outbox, max)
if refusal then return refusal end
local newest = redis.call('ZRANGE', pinned, -1, -1, 'WITHSCORES')
redis.call('ZADD', pinned, id_text(math.max(now_ms(), tonumber(newest[2] or 0) + 1)), id)
redis.call('HSET', status, 'pinned', 1)
emit(outbox, partition, 'type', 'pinned', 'rid', rid, 'uid', uid, 'id', id)
return 1
