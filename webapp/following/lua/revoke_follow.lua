-- End a follow that the target does not accept: they removed the follower, or became protected
-- before the follow reached them. In the second case it turns into a request.
--
-- ARGV     uid            the follower
--          target
--          requests_max   most requests of one member; 0 to make no request
--          until_us       end no follow that began later, unix us; '' for any
-- RETURNS  1, or 0 if there is no such follow
-- EMITS    unfollowed, unsubscribed, profile_edited, requested
-- FENCED

local followed_at = redis.call('ZSCORE', following, target)
if not followed_at then return 0 end
if until_us ~= '' and tonumber(followed_at) > tonumber(until_us) then return 0 end

end_follow(target)
local has_room = redis.call('ZCARD', requested) < tonumber(requests_max)
if has_room and not redis.call('ZSCORE', requested, target) then
  request_follow(target)
end
return 1
