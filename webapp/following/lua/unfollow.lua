-- Unfollow a member, or take back the request to follow them.
--
-- KEYS     following   zset: uid -> unix us
--          home        zset
--          outbox      stream
--          active      zset: uid -> unix seconds
--          requested   zset: uid -> unix ms
-- ARGV     uid
--          target      whom to unfollow
--          partition
--          outbox_max
--          request_id
-- RETURNS  1, or 0 if they were neither followed nor requested
-- ERRORS   OVERLOADED
-- WRITES   every key
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/emit.lua
-- include following/lua/includes/purge_author_from_home.lua
-- include following/lua/includes/end_follow.lua
-- include following/lua/includes/request_follow.lua

local is_following = redis.call('ZSCORE', following, target)
if not is_following and not redis.call('ZSCORE', requested, target) then return 0 end
local refusal = behind(outbox, outbox_max)
if refusal then return refusal end

end_request(requested, outbox, uid, target, partition, request_id)
end_follow(following, home, outbox, active, uid, target, partition, request_id)
return 1
