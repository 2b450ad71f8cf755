-- Purpose: read the timeline of a list, as far as it is kept, telling the truth about who is on it. A reply to another is
-- on it where the one answered is on the list too, or has made it. The look keeps the list active.
-- KEYS: 1 = keys.list  2 = keys.list_members  3 = keys.list_home  4 = keys.active_lists  5 = keys.following   (of its owner)
-- ARGV: 1 = uid of the owner  2 = number  3 = upper bound: '+inf' or '(id'
-- Returns: {{name, private, exclusive}, how many members, entries, mark, members, those of them whom the owner follows}; the
--   mark and what comes after it where the timeline is to be built (anew), else '' and none; false where there is no list
-- Writes: KEYS 3, 4
-- include core/store/lua/includes/ids.lua
-- include timelines/lua/includes/parse_entry.lua
local list, members, home, active, following = unpack(KEYS)
local uid, number, bound = unpack(ARGV)
local HOUR, name = 3600, uid .. ':' .. number
local fields = redis.call('HMGET', list, 'name', 'private', 'exclusive')
if not fields[1] then return false end
local now, entries, known = now_us() / 1000000, {}, {[uid] = false}
local function listed(other)
  if known[other] == nil then known[other] = redis.call('ZSCORE', members, other) and true or false end
  return known[other]
end
for _, entry in ipairs(redis.call('ZRANGE', home, bound, '-inf', 'BYSCORE', 'REV')) do
  local _, author, to = parse(entry)
  if listed(author) and (to == '' or to == uid or listed(to)) then
    entries[#entries + 1] = entry
  else
    redis.call('ZREM', home, entry)
  end
end
local size, visit = redis.call('ZCARD', members), redis.call('ZSCORE', active, name)
if visit and tonumber(visit) > 0 then
  if now - tonumber(visit) > HOUR then redis.call('ZADD', active, math.floor(now), name) end
  return {fields, size, entries, '', {}, {}}
end
if not visit then redis.call('ZADD', active, string.format('%.6f', -now), name) end
local mark = redis.call('ZSCORE', active, name)
return {fields, size, entries, mark, redis.call('ZRANGE', members, 0, -1), redis.call('ZINTER', 2, members, following)}
