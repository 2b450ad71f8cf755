-- Purpose: read the lists of a member, the newest first.
-- KEYS: 1 = keys.lists  2 = keys.list_prefix  3 = keys.list_members_prefix   (of their owner)
-- ARGV: 1 = uid  2 = uid of a member, or 0
-- Returns: {number, {name, private, exclusive}, how many are on it, whether that member is} each   Errors: none   Writes: nothing
local lists, list_of, members_of = unpack(KEYS)
local uid, member = unpack(ARGV)
local found = {}
for _, number in ipairs(redis.call('ZRANGE', lists, 0, -1, 'REV')) do
  local name = uid .. ':' .. number
  local fields = redis.call('HMGET', list_of .. name, 'name', 'private', 'exclusive')
  local there = redis.call('ZSCORE', members_of .. name, member) and 1 or 0
  found[#found + 1] = {number, fields, redis.call('ZCARD', members_of .. name), there}
end
return found
