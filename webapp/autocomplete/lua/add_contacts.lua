-- Note whom a member mentioned or answered. The oldest of too many are dropped.
--
-- KEYS     member     accounts.user(author)
--          contacts   autocomplete.contacts(author)
-- ARGV     limit        most contacts
--          entries...   uids, each after the time of the status, unix ms
-- RETURNS  the uids that were dropped, and those that were not added
-- WRITES   contacts
-- FENCED

if redis.call('HEXISTS', member, 'login') == 0 then
  local uids = {}
  for index = 2, #entries, 2 do uids[#uids + 1] = entries[index] end
  return uids
end

redis.call('ZADD', contacts, 'GT', unpack(entries))
local excess = redis.call('ZCARD', contacts) - limit
if excess <= 0 then return {} end
local dropped = redis.call('ZRANGE', contacts, 0, excess - 1)
redis.call('ZREM', contacts, unpack(dropped))
return dropped
