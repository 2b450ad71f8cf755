-- Purpose: follow a member, and tell the worker. The scores of one list are unique, so that pages can be cut by them.
-- KEYS: 1 = keys.following  2 = keys.outbox  3 = keys.user  4 = keys.blocks  5 = keys.blockers   (of the follower)
-- ARGV: 1 = uid  2 = uid to follow  3 = FOLLOWING_MAX  4 = partition  5 = OUTBOX_MAX  6 = rid
-- Returns: 1, or 0 when that is so already   Errors: NOMEMBER, SUSPENDED, BLOCKED, FOLLOWINGFULL, OVERLOADED   Writes: KEYS 1, 2
-- include ids.lua
-- include events.lua
local following, outbox, user, blocks, blockers = unpack(KEYS)
local uid, target, most, partition, max, rid = unpack(ARGV)
local member = redis.call('HMGET', user, 'login', 'suspended')
if not member[1] then return redis.error_reply('NOMEMBER ' .. uid) end
if member[2] then return redis.error_reply('SUSPENDED ' .. uid) end
if redis.call('ZSCORE', following, target) then return 0 end
if redis.call('ZSCORE', blocks, target) or redis.call('ZSCORE', blockers, target) then
  return redis.error_reply('BLOCKED ' .. target)
end
if redis.call('ZCARD', following) >= tonumber(most) then return redis.error_reply('FOLLOWINGFULL ' .. most) end
local refusal = behind(outbox, max)
if refusal then return refusal end
local newest = redis.call('ZRANGE', following, -1, -1, 'WITHSCORES')
local at = id_text(math.max(now_us(), tonumber(newest[2] or 0) + 1))
redis.call('ZADD', following, at, target)
emit(outbox, partition, 'type', 'followed', 'rid', rid, 'uid', uid, 'target', target, 'at', at)
return 1
