-- Read whether a member is shown to all, a boost of theirs, and what is indexed of a use. From here
-- on no former owner of the outbox indexes it.
--
-- KEYS     fences   hash: the newest token of each source
--          user     hash: the member
--          boosts   zset: `status:author` -> id of the boost
--          index    zset: `id:status:author:item` -> id of the post or boost
-- ARGV     source
--          token
--          boosted  `status:author` of the boosted status
--          id       of the post or boost
-- RETURNS  {1 if the member is public, 1 if the boost stands, the entries of the index}
-- ERRORS   LEASELOST
-- WRITES   fences
-- include core/events/lua/includes/fence.lua

local refusal = stale(fences, source, token)
if refusal then return refusal end
local login, suspended, protected =
  unpack(redis.call('HMGET', user, 'login', 'suspended', 'protected'))
return {
  login and not suspended and not protected and 1 or 0,
  redis.call('ZSCORE', boosts, boosted) and 1 or 0,
  redis.call('ZRANGE', index, id, id, 'BYSCORE'),
}
