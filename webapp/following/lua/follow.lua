-- Purpose: follow a member, or ask a protected one; and tell the worker. The scores of one list are unique, so that pages can
--   be cut by them. Who has asked and may now follow asks no more.
-- KEYS: 1 = keys.following  2 = keys.requested  3 = keys.outbox  4 = keys.user  5 = keys.blocks  6 = keys.blockers   (of the follower)
-- ARGV: 1 = uid  2 = uid to follow  3 = FOLLOWING_MAX  4 = partition  5 = OUTBOX_MAX  6 = rid  7 = REQUESTS_MAX  8 = 1 to ask
-- Returns: 1, or 0 when that is so already
-- Errors: NOMEMBER, SUSPENDED, BLOCKED, FOLLOWINGFULL, REQUESTEDFULL, OVERLOADED   Writes: KEYS 1 to 3
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/emit.lua
-- include following/lua/includes/request_follow.lua
local following, requested, outbox, user, blocks, blockers = unpack(KEYS)
local uid, target, most, partition, max, rid, most_asked, asks = unpack(ARGV)
local member = redis.call('HMGET', user, 'login', 'suspended')
if not member[1] then return redis.error_reply('NOMEMBER ' .. uid) end
if member[2] then return redis.error_reply('SUSPENDED ' .. uid) end
if redis.call('ZSCORE', following, target) or asks == '1' and redis.call('ZSCORE', requested, target) then return 0 end
if redis.call('ZSCORE', blocks, target) or redis.call('ZSCORE', blockers, target) then
  return redis.error_reply('BLOCKED ' .. target)
end
if redis.call('ZCARD', following) >= tonumber(most) then return redis.error_reply('FOLLOWINGFULL ' .. most) end
local full = asks == '1' and redis.call('ZCARD', requested) >= tonumber(most_asked)
if full then return redis.error_reply('REQUESTEDFULL ' .. most_asked) end
local refusal = behind(outbox, max)
if refusal then return refusal end
if asks == '1' then ask(requested, outbox, uid, target, partition, rid)
else begin_follow(following, requested, outbox, uid, target, partition, rid) end
return 1
