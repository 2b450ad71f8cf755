-- Index documents, each in one collection, and take them out of others, in all generations.
--
-- KEYS     generation   search.generation(shard, shards)
-- ARGV     removed        documents to take out, as 'collection:id', a space between
--          collection     of the documents that are indexed, '' if none is
--          limit          documents of the collection
--          documents...   three values each: id; record, its tokens and terms; terms, a space
--                         between
-- RETURNS  how many documents changed
-- FENCED

local changed = 0
for _, number in ipairs(generations(generation)) do
  local base = generation .. ':' .. number .. ':'
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
