-- Purpose: block a member: the blocker's own follow of them, and request to, end with it; tell the worker, who ends theirs.
-- KEYS: 1 = keys.blocks  2 = keys.following  3 = keys.home  4 = keys.outbox  5 = keys.active  6 = keys.user
--       7 = keys.requested   (of the blocker)
-- ARGV: 1 = uid  2 = uid to block  3 = BLOCKS_MAX  4 = partition  5 = OUTBOX_MAX  6 = rid
-- Returns: 1, or 0 when that is so already   Errors: NOMEMBER, SUSPENDED, BLOCKSFULL, OVERLOADED   Writes: KEYS 1 to 5 and 7
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/emit.lua
-- include following/lua/includes/purge_author_from_home.lua
-- include following/lua/includes/end_follow.lua
-- include following/lua/includes/request_follow.lua
local blocks, following, home, outbox, active, user, requested = unpack(KEYS)
local uid, target, most, partition, max, rid = unpack(ARGV)
local member = redis.call('HMGET', user, 'login', 'suspended')
if not member[1] then return redis.error_reply('NOMEMBER ' .. uid) end
if member[2] then return redis.error_reply('SUSPENDED ' .. uid) end
if redis.call('ZSCORE', blocks, target) then return 0 end
if redis.call('ZCARD', blocks) >= tonumber(most) then return redis.error_reply('BLOCKSFULL ' .. most) end
local refusal = behind(outbox, max)
if refusal then return refusal end
local newest = redis.call('ZRANGE', blocks, -1, -1, 'WITHSCORES')
redis.call('ZADD', blocks, id_text(math.max(now_ms(), tonumber(newest[2] or 0) + 1)), target)
end_follow(following, home, outbox, active, uid, target, partition, rid)
end_request(requested, outbox, uid, target, partition, rid)
emit(outbox, partition, 'type', 'blocked', 'rid', rid, 'uid', uid, 'target', target)
return 1
