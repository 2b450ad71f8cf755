-- Remove the boost of a deleted status from its member's lists and home. No event.
--
-- KEYS     boosts         statuses.interactions.member_boosts(uid)
--          home           accounts.home(uid)
--          boost_prefix   statuses.interactions.boost.prefix(uid)
--          shared         timelines.trends.trend_index(uid)
-- ARGV     uid       who boosts
--          boosted   status:author
-- RETURNS  1, or 0 if it was not boosted
-- FENCED

local id = remove_boost(boosts, home, boost_prefix, uid, boosted)
if not id then return 0 end
redis.call('ZREMRANGEBYSCORE', shared, id, id)
return 1
