-- Purpose: count the lists of a member that are not private.
-- KEYS: 1 = keys.lists  2 = keys.list_prefix   (of their owner)   ARGV: 1 = uid
-- Returns: how many   Errors: none   Writes: nothing
local lists, list_of = unpack(KEYS)
local uid, count = ARGV[1], 0
for _, number in ipairs(redis.call('ZRANGE', lists, 0, -1)) do
  count = count + 1 - redis.call('HEXISTS', list_of .. uid .. ':' .. number, 'private')
end
return count
