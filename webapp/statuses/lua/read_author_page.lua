-- Purpose: read a page of a member's own statuses, whole: of each of the lists given and, of those that not everybody may
-- see, what names the reader and, apart, what followers may see: all of it, for others, where the member is protected. A
--   block in the member's own list counts at once.
-- KEYS: 1 = keys.status_prefix  2 = keys.blocks  3 = keys.limited, for followers  4 = keys.limited, for the reader; then
--       keys.user, keys.profile, keys.replied
-- ARGV: 1 = upper bound: '+inf' or '(id'  2 = statuses wanted of each  3 = the reader's uid, 0 for a visitor  4 = 1 with what
--       followers may see  5 = 1 with replies to others  6 = the member's uid  7… = fields of a status
-- Returns: {{id, the fields} each, newest first in each list; the same of what followers may see}
-- Writes: nothing
local statuses, blocks, to_followers, to_reader, user = unpack(KEYS, 1, 5)
local bound, want, reader, followers, replies, uid = unpack(ARGV, 1, 6)
local function newest(list, top) return redis.call('ZRANGE', list, top, '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, want) end
local function add(found, entry)
  local id = string.match(entry, '^%d+')
  found[#found + 1] = {id, unpack(redis.call('HMGET', statuses .. id, unpack(ARGV, 7)), 1, #ARGV - 6)}
end
-- These lists hold replies to others as well: what is not wanted of them is passed over, by its entry alone.
local function add_limited(found, list)
  local top, left = bound, tonumber(want)
  repeat
    local chunk = newest(list, top)
    for _, entry in ipairs(chunk) do
      local id, to = string.match(entry, '^(%d+):?(%d*)$')
      top = '(' .. id
      if left > 0 and (to == '' or replies == '1') then
        left = left - 1
        add(found, entry)
      end
    end
  until left == 0 or #chunk < tonumber(want)
end
local open, limited = {}, {}
local blocked = reader ~= '0' and redis.call('ZSCORE', blocks, reader)
local protected = reader ~= uid and redis.call('HEXISTS', user, 'protected') == 1
for list = 6, protected and (blocked or followers ~= '1') and 5 or #KEYS do
  for _, entry in ipairs(newest(KEYS[list], bound)) do add(protected and limited or open, entry) end
end
if not blocked then
  if reader ~= '0' then add_limited(open, to_reader) end
  if followers == '1' then add_limited(limited, to_followers) end
end
return {open, limited}
