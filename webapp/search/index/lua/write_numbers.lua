-- Note what a document is ranked by, in all generations, if it is indexed.
--
-- KEYS     fences      hash: the newest token of each source
--          generation  hash: the generation that is read, and one that is being built
--          prefix      what the keys of the shard's index begin with
-- ARGV     source
--          token
--          id
--          collection
--          numbers...  names and values, such as 'likes', 3
-- RETURNS  1
-- ERRORS   LEASELOST
-- WRITES   fences, the shard's index
-- include core/events/lua/includes/fence.lua
-- include search/index/lua/includes/documents.lua

local refusal = stale(fences, source, token)
if refusal then return refusal end
for _, number in ipairs(generations(generation)) do
  local index = prefix .. number .. ':' .. collection .. ':'
  if redis.call('EXISTS', index .. 'record:' .. id) == 1 then
    for place = 1, #numbers, 2 do
      local key, value = index .. numbers[place], tonumber(numbers[place + 1])
      if value > 0 then redis.call('ZADD', key, value, id) else redis.call('ZREM', key, id) end
    end
  end
end
return 1
