-- Note the numbers that rank a document, in all generations, if it is indexed.
--
-- KEYS     generation   search.generation(shard, shards)
-- ARGV     id
--          collection
--          numbers...   names and values, such as 'likes', 3
-- FENCED

for _, number in ipairs(generations(generation)) do
  local index = generation .. ':' .. number .. ':' .. collection .. ':'
  if redis.call('EXISTS', index .. 'record:' .. id) == 1 then
    for place = 1, #numbers, 2 do
      local key, value = index .. numbers[place], tonumber(numbers[place + 1])
      if value > 0 then redis.call('ZADD', key, value, id) else redis.call('ZREM', key, id) end
    end
  end
end
return 1
