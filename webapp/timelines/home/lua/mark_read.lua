-- Remember the newest post of home that a member has read. It only moves forward.
--
-- KEYS     markers   timelines.markers(uid)
--          member    accounts.user(uid)
-- ARGV     uid
--          id
-- RETURNS  1 if it moved, else 0
-- ERRORS   NOMEMBER, SUSPENDED
-- WRITES   markers
-- include accounts/lua/includes/require_active.lua

local refusal = require_active(member, uid)
if refusal then return refusal end
if tonumber(redis.call('HGET', markers, 'home') or 0) >= tonumber(id) then return 0 end
redis.call('HSET', markers, 'home', id)
return 1
