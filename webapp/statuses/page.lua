-- Purpose: read a page of a member's own statuses, whole: of each of the lists given and, of those that not everybody may
-- see, what names the reader and, apart, what followers may see. A block in the member's own list counts at once.
-- KEYS: 1 = keys.status_prefix  2 = keys.blocks  3 = keys.limited, for followers  4 = keys.limited, for the reader; then
--       keys.profile, keys.replied
-- ARGV: 1 = upper bound: '+inf' or '(id'  2 = statuses wanted of each  3 = the reader's uid, 0 for a visitor  4 = 1 with what
--       followers may see  5 = 1 with replies to others  6… = fields of a status
-- Returns: {{id, the fields} each, newest first in each list; the same of what followers may see}
-- Writes: nothing
local statuses, blocks, to_followers, to_reader = unpack(KEYS, 1, 4)
local bound, want, reader, followers, replies = unpack(ARGV, 1, 5)
local function newest(list, top) return redis.call('ZRANGE', list, top, '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, want) end
local function add(found, entry)
  local id = string.match(entry, '^%d+')
  found[#found + 1] = {id, unpack(redis.call('HMGET', statuses .. id, unpack(ARGV, 6)), 1, #ARGV - 5)}
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
for list = 5, #KEYS do
  for _, entry in ipairs(newest(KEYS[list], bound)) do add(open, entry) end
end
if reader == '0' or not redis.call('ZSCORE', blocks, reader) then
  if reader ~= '0' then add_limited(open, to_reader) end
  if followers == '1' then add_limited(limited, to_followers) end
end
return {open, limited}
