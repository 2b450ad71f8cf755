-- List an item in the market, in each order, or take it from there. An older version of the item
-- than the one that is listed changes nothing.
--
-- KEYS     entries   rewards.market.market_entries()
--          price     rewards.market.market_list('price')
--          new       rewards.market.market_list('new')
--          name      rewards.market.market_list('name')
--          ends      rewards.market.market_list('ends')
-- ARGV     id
--          version     of the item, 0 if it is gone
--          limit       most items that are listed
--          members...   in the lists price, new, name, ends; none to take it from there
-- RETURNS  1 if it is listed now, else 0

local lists, version_number = {price, new, name, ends}, tonumber(version)
local entry = redis.call('HGET', entries, id)
entry = entry and cjson.decode(entry)
if entry then
  if version_number > 0 and entry.version >= version_number then return 1 end
  for at, list in ipairs(lists) do redis.call('ZREM', list, entry.members[at]) end
  redis.call('HDEL', entries, id)
end
if #members == 0 or redis.call('HLEN', entries) >= tonumber(limit) then return 0 end
for at, list in ipairs(lists) do redis.call('ZADD', list, 0, members[at]) end
redis.call('HSET', entries, id, cjson.encode({version = version_number, members = members}))
return 1
