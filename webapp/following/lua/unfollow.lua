-- Unfollow a member, or take back the request to follow them.
--
-- ARGV     target   whom to unfollow
-- RETURNS  1, or 0 if they were neither followed nor requested
-- EMITS    unfollowed, unsubscribed, unrequested, profile_edited
-- IDEMPOTENT

local is_following = redis.call('ZSCORE', following, target)
if not is_following and not redis.call('ZSCORE', requested, target) then return 0 end
refuse_when_behind()

end_request(target)
end_follow(target)
return 1
