-- Take a boost back, and emit `unboosted`.
--
-- KEYS     boosts         statuses.interactions.member_boosts(uid)
--          home           accounts.home(uid)
--          boost_prefix   statuses.interactions.boost.prefix(uid)
-- ARGV     id       of the status
--          author   uid of its author
-- RETURNS  1, or 0 if it was not boosted
-- EMITS    unboosted
-- IDEMPOTENT

local boosted = id .. ':' .. author
if not redis.call('ZSCORE', boosts, boosted) then return 0 end
refuse_when_behind()

record_interaction(id)
return undo_boost(boosts, home, boost_prefix, uid, boosted)
