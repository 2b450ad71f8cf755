-- Index documents, each in one collection, and take them out of others, in all generations.
--
-- KEYS     fences      hash: the newest token of each source
--          generation  hash: the generation that is read, and one that is being built
--          prefix      what the keys of the shard's index begin with
-- ARGV     source
--          token
--          documents...  six values each:
--                        id
--                        collection, '' for none
--                        other collections that may have it, a space between
--                        limit: documents of the collection
--                        record: its tokens and terms
--                        terms, a space between
-- RETURNS  how many collections changed
-- ERRORS   LEASELOST
-- WRITES   fences, the shard's index
-- include core/events/lua/includes/fence.lua
-- include search/index/lua/includes/documents.lua

local refusal = stale(fences, source, token)
if refusal then return refusal end
local changed = 0
for _, number in ipairs(generations(generation)) do
  local base = prefix .. number .. ':'
  for place = 1, #documents, 6 do
    local id, collection, others, limit, record, terms = unpack(documents, place, place + 5)
    for other in string.gmatch(others, '%S+') do
      changed = changed + remove_document(base .. other .. ':', id)
    end
    if collection ~= '' then
      local index = base .. collection .. ':'
      changed = changed + put_document(index, id, record, terms, tonumber(limit))
    end
  end
end
return changed
