-- Read the timeline of a list below a bound, and keep the list active. A private one is absent for
-- all but its owner. Entries of authors who are no longer on the list are removed.
--
-- KEYS     list        lists.list_(uid, number)
--          members     lists.list_members(uid, number)
--          timeline    lists.list_home(uid, number)
--          active      lists.active_lists(uid)
--          following   following.following(uid)
-- ARGV     bound    the upper bound: '+inf' or '(id'
--          viewer   uid, 0 for a visitor
-- RETURNS  {{name, private, exclusive}, member count, entries, mark, uids of members, of those the
--          uids that the owner follows}; nil if there is no such list for the viewer. A mark means
--          that the timeline must be rebuilt; without it, it is '' and the uids are empty.
-- WRITES   timeline, active

local HOUR = 3600 -- seconds; a visit is noted once in that time

local fields = redis.call('HMGET', list, 'name', 'private', 'exclusive')
if not fields[1] or fields[2] and viewer ~= uid then return false end
local entries, belongs = {}, list_filter(uid, members)
for _, entry in ipairs(redis.call('ZRANGE', timeline, bound, '-inf', 'BYSCORE', 'REV')) do
  local _, author, reply_to = parse_entry(entry)
  if belongs(author, reply_to) then
    entries[#entries + 1] = entry
  else
    redis.call('ZREM', timeline, entry)
  end
end

local name, now = uid .. ':' .. number, now_us() / 1000000
local size, visited = redis.call('ZCARD', members), redis.call('ZSCORE', active, name)
if visited and tonumber(visited) > 0 then
  if now - tonumber(visited) > HOUR then redis.call('ZADD', active, math.floor(now), name) end
  return {fields, size, entries, '', {}, {}}
end
if not visited then redis.call('ZADD', active, string.format('%.6f', -now), name) end
local mark = redis.call('ZSCORE', active, name)
local uids = redis.call('ZRANGE', members, 0, -1)
return {fields, size, entries, mark, uids, redis.call('ZINTER', 2, members, following)}
