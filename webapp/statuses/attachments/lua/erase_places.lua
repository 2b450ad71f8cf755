-- Erase the hidden places of a member's next statuses.
--
-- KEYS     user            accounts.user(uid)
--          list            zset: one of the member's lists of statuses
--          status_prefix   statuses.status.prefix(uid)
-- ARGV     bound   '-inf' or '(id'
--          limit   statuses
-- RETURNS  the last id, '' if there are no more
-- WRITES   status_prefix
-- FENCED

local up_to = redis.call('HGET', user, 'places_hidden_up_to')
if not up_to then return '' end

local entries = redis.call('ZRANGE', list, bound, up_to, 'BYSCORE', 'LIMIT', 0, limit)
local id = ''
for _, entry in ipairs(entries) do
  id = string.match(entry, '^%d+')
  redis.call('HDEL', status_prefix .. id, 'lat', 'long', 'place')
end
return #entries == tonumber(limit) and id or ''
