-- Remove the oldest documents of a collection whose owner is gone, in all generations.
--
-- KEYS     fences      hash: the newest token of each source
--          generation  hash: the generation that is read, and one that is being built
--          prefix      what the keys of the shard's index begin with
-- ARGV     source
--          token
--          collection
--          limit       documents of a generation
-- RETURNS  how many were removed
-- ERRORS   LEASELOST
-- WRITES   fences, the shard's index
-- include core/events/lua/includes/fence.lua
-- include search/index/lua/includes/documents.lua

local refusal = stale(fences, source, token)
if refusal then return refusal end
local removed = 0
for _, number in ipairs(generations(generation)) do
  local index = prefix .. number .. ':' .. collection .. ':'
  for _, id in ipairs(redis.call('ZRANGE', index .. 'ids', 0, limit - 1)) do
    removed = removed + remove_document(index, id)
  end
end
return removed
