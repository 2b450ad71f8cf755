-- Boost a status: make the boost's id, add it to the member's list, and emit `boosted`.
-- Above the limit the oldest boost is taken back, as if by hand.
--
-- KEYS     boosts           statuses.interactions.member_boosts(uid)
--          last_id          statuses.last_status_id(uid)
--          home             accounts.home(uid)
--          boost_prefix     statuses.interactions.boost.prefix(uid)
-- ARGV     id        of the status
--          author    uid of its author
--          limit     config.boosts_max   most boosts of one member
--          network   hash of the network it comes from, or '' if that is not known
-- RETURNS  1, or 0 if it was boosted already
-- ERRORS   NOMEMBER, SUSPENDED, CANNOTBOOST
-- EMITS    unboosted, boosted
-- IDEMPOTENT

local boosted = id .. ':' .. author
require_active()
if redis.call('ZSCORE', boosts, boosted) then return 0 end
require_no_block('CANNOTBOOST', author)
refuse_when_behind()

local boost_id = next_id(redis.call('GET', last_id), now_ms(), tonumber(partition), id)
redis.call('SET', last_id, boost_id)
redis.call('ZADD', boosts, boost_id, boosted)
redis.call('SET', boost_prefix .. boost_id, uid .. ':' .. boosted)
record_interaction(id)
emit('boosted', 'id', boost_id, 'uid', uid, 'status', id, 'author', author, 'network', network)

-- One too many; more once the limit is lowered.
local excess = math.min(redis.call('ZCARD', boosts) - tonumber(limit), 10)
if excess > 0 then
  for _, oldest in ipairs(redis.call('ZRANGE', boosts, 0, excess - 1)) do
    undo_boost(boosts, home, boost_prefix, uid, oldest)
  end
end
return 1
