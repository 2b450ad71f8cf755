-- Bring a member's list of blockers up to date with a blocker's own list. The member's follow of
-- the blocker, and request to follow them, end with a block.
--
-- KEYS     fences      hash
--          blockers    zset: uid -> unix ms
--          member      hash: who is blocked
--          following   zset: uid -> unix us
--          home        zset
--          outbox      stream
--          active      zset: uid -> unix seconds
--          requested   zset: uid -> unix ms
-- ARGV     source
--          token
--          blocker
--          blocked_at  unix ms; '' if they do not block
--          uid         who is blocked
--          partition
--          request_id
-- RETURNS  1; -1 if the blocked account is deleted
-- ERRORS   LEASELOST
-- WRITES   every key but member
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/emit.lua
-- include core/events/lua/includes/fence.lua
-- include following/lua/includes/purge_author_from_home.lua
-- include following/lua/includes/end_follow.lua
-- include following/lua/includes/request_follow.lua

local refusal = stale(fences, source, token)
if refusal then return refusal end
if blocked_at == '' then
  redis.call('ZREM', blockers, blocker)
  return 1
end
if redis.call('HEXISTS', member, 'login') == 0 then return -1 end

redis.call('ZADD', blockers, blocked_at, blocker)
-- A full outbox does not matter here: the event that causes this could wait for itself.
end_follow(following, home, outbox, active, uid, blocker, partition, request_id)
end_request(requested, outbox, uid, blocker, partition, request_id)
return 1
