-- Purpose: keep a filter of words, a new one or in the place of another. Nobody is told: filters are asked at each reading.
-- KEYS: 1 = keys.filters  2 = keys.user   (of the same member)
-- ARGV: 1 = uid  2 = its number, 0 for a new one  3 = the filter, JSON  4 = FILTERS_MAX
-- Returns: its number   Errors: NOMEMBER, SUSPENDED, NOFILTER, FILTERSFULL   Writes: KEYS 1, 2
-- include accounts/lua/includes/require_active.lua
local filters, user = unpack(KEYS)
local uid, number, filter, most = unpack(ARGV)
local refusal = barred(user, uid)
if refusal then return refusal end
if number ~= '0' then
  if redis.call('HEXISTS', filters, number) == 0 then return redis.error_reply('NOFILTER ' .. number) end
elseif redis.call('HLEN', filters) >= tonumber(most) then
  return redis.error_reply('FILTERSFULL ' .. most)
else
  -- A number is given once: a form that was opened for a filter that is gone must not change another.
  repeat number = redis.call('HINCRBY', user, 'filters', 1) until redis.call('HEXISTS', filters, number) == 0
end
redis.call('HSET', filters, number, filter)
return tonumber(number)
