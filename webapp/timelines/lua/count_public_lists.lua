-- Count the lists of a member that are not private.
--
-- KEYS     lists         lists.lists(uid)
--          list_prefix   lists.list_.prefix(uid)
-- RETURNS  the number of lists
-- WRITES   nothing

local count = 0
for _, number in ipairs(redis.call('ZRANGE', lists, 0, -1)) do
  count = count + 1 - redis.call('HEXISTS', list_prefix .. uid .. ':' .. number, 'private')
end
return count
