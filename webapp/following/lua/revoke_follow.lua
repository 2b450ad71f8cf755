-- Purpose: end a follow that the followed member does not want: they have removed the follower, or have become protected
--   before it reached them, and it turns into a request.
-- KEYS: 1 = keys.fences  2 = keys.following  3 = keys.home  4 = keys.outbox  5 = keys.active  6 = keys.requested   (of the follower)
-- ARGV: 1 = source  2 = token  3 = uid  4 = whom they follow  5 = REQUESTS_MAX where they ask instead, else 0  6 = partition
--       7 = rid  8 = when they followed, '' for whenever
-- Returns: 1, or 0 when they do not follow, or not since then   Errors: LEASELOST   Writes: all keys
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/emit.lua
-- include core/events/lua/includes/fence.lua
-- include following/lua/includes/purge_author_from_home.lua
-- include following/lua/includes/end_follow.lua
-- include following/lua/includes/request_follow.lua
local fences, following, home, outbox, active, requested = unpack(KEYS)
local source, token, uid, target, most, partition, rid, since = unpack(ARGV)
local refusal = stale(fences, source, token)
if refusal then return refusal end
local at = redis.call('ZSCORE', following, target)
if not at or since ~= '' and tonumber(since) ~= tonumber(at) then return 0 end
end_follow(following, home, outbox, active, uid, target, partition, rid)
local may = redis.call('ZCARD', requested) < tonumber(most) and not redis.call('ZSCORE', requested, target)
if may then ask(requested, outbox, uid, target, partition, rid) end
return 1
