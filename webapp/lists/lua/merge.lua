-- End the rebuild of a list's timeline: add its members' statuses and boosts. Then it is complete,
-- unless its members changed meanwhile.
--
-- KEYS     members    lists.list_members(uid, number)
--          timeline   lists.list_home(uid, number)
--          active     lists.active_lists(uid)
-- ARGV     mark         the reply of read_page
--          limit        most entries of a list's timeline
--          entries...   newest first
-- RETURNS  1; 0 if it must be rebuilt again
-- WRITES   timeline, active

local name = uid .. ':' .. number
local visited = redis.call('ZSCORE', active, name)
if not visited then return 0 end
local belongs = list_filter(uid, members)
for _, entry in ipairs(entries) do
  local id, author, reply_to = parse_entry(entry)
  if belongs(author, reply_to) then redis.call('ZADD', timeline, id, entry) end
end
redis.call('ZREMRANGEBYRANK', timeline, 0, -(tonumber(limit) + 1))
if tonumber(visited) ~= tonumber(mark) then return 0 end
redis.call('ZADD', active, math.floor(now_us() / 1000000), name)
return 1
