-- Remember the audience that a member chose last, for their next post.
--
-- KEYS     user   accounts.user(uid)
-- ARGV     uid
--          audience       visibility and reply policy, as statuses store them, parted by a comma
--          quote_policy   as statuses store it
-- RETURNS  1
-- ERRORS   NOMEMBER, SUSPENDED
-- WRITES   user
-- include accounts/lua/includes/require_active.lua

local refusal = require_active(user, uid)
if refusal then return refusal end
redis.call('HSET', user, 'audience', audience, 'quote_policy', quote_policy)
return 1
