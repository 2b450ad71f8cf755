-- End a follow that the target does not accept: they removed the follower, or became protected
-- before the follow reached them. In the second case it turns into a request.
--
-- KEYS     fences        hash
--          following     zset: uid -> unix us
--          home          zset
--          outbox        stream
--          active        zset: uid -> unix seconds
--          requested     zset: uid -> unix ms, unique in the list
-- ARGV     source
--          token
--          uid           the follower
--          target
--          requests_max  most requests of one member; 0 to make no request
--          partition
--          request_id
--          since         end only the follow that began then, unix us; '' for any
-- RETURNS  1, or 0 if there is no such follow
-- ERRORS   LEASELOST
-- WRITES   every key
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/emit.lua
-- include core/events/lua/includes/fence.lua
-- include following/lua/includes/purge_author_from_home.lua
-- include following/lua/includes/end_follow.lua
-- include following/lua/includes/request_follow.lua

local refusal = stale(fences, source, token)
if refusal then return refusal end
local followed_at = redis.call('ZSCORE', following, target)
if not followed_at then return 0 end
if since ~= '' and tonumber(since) ~= tonumber(followed_at) then return 0 end

end_follow(following, home, outbox, active, uid, target, partition, request_id)
local has_room = redis.call('ZCARD', requested) < tonumber(requests_max)
if has_room and not redis.call('ZSCORE', requested, target) then
  request_follow(requested, outbox, uid, target, partition, request_id)
end
return 1
