-- Index documents, each in one collection, and take them out of others, in all generations.
--
-- KEYS     fences      hash: the newest token of each source
--          generation  hash: the generation that is read, and one that is being built
--          prefix      what the keys of the shard's index begin with
-- ARGV     source
--          token
--          removed     documents to take out, as 'collection:id', a space between
--          collection  of the documents that are indexed, '' if none is
--          limit       documents of the collection
--          documents...  three values each: id; record, its tokens and terms; terms, a space
--                        between
-- RETURNS  how many documents changed
-- ERRORS   LEASELOST
-- WRITES   fences, the shard's index
-- include core/events/lua/includes/fence.lua
-- include search/index/lua/includes/documents.lua

local refusal = stale(fences, source, token)
if refusal then return refusal end
local changed = 0
for _, number in ipairs(generations(generation)) do
  local base = prefix .. number .. ':'
  for former, id in string.gmatch(removed, '(%S+:)(%d+)') do
    changed = changed + remove_document(base .. former, id)
  end
  local index = base .. collection .. ':'
  for place = 1, #documents, 3 do
    local id, record, terms = unpack(documents, place, place + 2)
    changed = changed + put_document(index, id, record, terms)
  end
  if #documents > 0 then trim_documents(index, tonumber(limit)) end
end
return changed
