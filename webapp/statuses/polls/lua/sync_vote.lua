-- Purpose: count a member's vote in a status's poll, once; or take a member who has gone out of those who voted, and leave the count.
-- KEYS: 1 = keys.fences  2 = keys.status  3 = keys.votes   (of the status)
-- ARGV: 1 = source  2 = token  3 = the member's uid  4 = the options they chose, bits; '' where they have gone
-- Returns: 1 when it is counted now, else 0; -1 when the status is gone   Errors: LEASELOST   Writes: all keys
-- include core/events/lua/includes/fence.lua
local fences, status, votes = unpack(KEYS)
local source, token, uid, bits = unpack(ARGV)
local refusal = stale(fences, source, token)
if refusal then return refusal end
local poll, tally = unpack(redis.call('HMGET', status, 'poll', 'tally'))
if not poll then
  redis.call('UNLINK', votes)
  return -1
end
if bits == '' then return redis.call('HDEL', votes, uid) * 0 end
if redis.call('HSETNX', votes, uid, bits) == 0 then return 0 end
local counts, left = {}, tonumber(bits)
for count in string.gmatch(tally or '', '%d+') do counts[#counts + 1] = tonumber(count) end
local options = #cjson.decode(poll)[1]
for at = 1, options do
  counts[at] = (counts[at] or 0) + left % 2
  left = math.floor(left / 2)
end
counts[options + 1] = (counts[options + 1] or 0) + 1
redis.call('HSET', status, 'tally', table.concat(counts, ' '))
return 1
