-- End a request to follow. A granted one becomes a follow, unless it was taken back or the
-- requester may not follow.
--
-- KEYS     fences         hash
--          requested      zset: uid -> unix ms
--          following      zset: uid -> unix us, unique in the list
--          outbox         stream
--          member         hash: who requested
--          blocks         zset
--          blockers       zset
-- ARGV     source
--          token
--          uid            who requested
--          target         whom they want to follow
--          granted        1 or 0
--          following_max
--          partition
--          request_id
-- RETURNS  1, or 0 if there was no request
-- ERRORS   LEASELOST
-- WRITES   fences, requested, following, outbox
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/emit.lua
-- include core/events/lua/includes/fence.lua
-- include accounts/lua/includes/require_active.lua
-- include following/lua/includes/request_follow.lua

local refusal = stale(fences, source, token)
if refusal then return refusal end
if not redis.call('ZSCORE', requested, target) then return 0 end

local is_blocked = redis.call('ZSCORE', blocks, target) or redis.call('ZSCORE', blockers, target)
local is_full = redis.call('ZCARD', following) >= tonumber(following_max)
local may_follow = not require_active(member, uid) and not is_blocked and not is_full
  and not redis.call('ZSCORE', following, target)
-- A full outbox does not matter here: the event that causes this could wait for itself.
if granted == '1' and may_follow then
  begin_follow(following, requested, outbox, uid, target, partition, request_id)
else
  end_request(requested, outbox, uid, target, partition, request_id)
end
return 1
