-- Remove the oldest documents of a collection whose owner is gone, in all generations.
--
-- KEYS     generation   search.generation(shard, shards)
-- ARGV     collection
--          limit        documents of a generation
-- RETURNS  how many were removed
-- FENCED

local removed = 0
for _, number in ipairs(generations(generation)) do
  local index = generation .. ':' .. number .. ':' .. collection .. ':'
  for _, id in ipairs(redis.call('ZRANGE', index .. 'ids', 0, limit - 1)) do
    removed = removed + remove_document(index, id)
  end
end
return removed
