-- Note where a member stands in the index of names.
--
-- KEYS     fences     hash
--          names      hash: uid -> the rank and the words
-- ARGV     source
--          token
--          uid
--          record     '' if they stand nowhere
-- RETURNS  1
-- ERRORS   LEASELOST
-- WRITES   fences, names
-- include core/events/lua/includes/fence.lua

local refusal = stale(fences, source, token)
if refusal then return refusal end
if record == '' then
  redis.call('HDEL', names, uid)
else
  redis.call('HSET', names, uid, record)
end
return 1
