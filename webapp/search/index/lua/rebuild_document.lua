-- Add a document to the generation that is being built, unless it has a newer one, or remove it.
--
-- KEYS     generation   search.generation(shard, shards)
-- ARGV     building     the number of the generation
--          id
--          collection
--          limit        documents of the collection
--          record       its tokens and terms; '' removes it
--          numbers      names and values that rank it, such as 'likes 3 boosts 1'
--          terms        a space between
-- RETURNS  1 if that changed something, else 0
-- ERRORS   REBUILDENDED

if redis.call('HGET', generation, 'building') ~= building then
  refuse('REBUILDENDED', 'another rebuild has begun')
end
local index = generation .. ':' .. building .. ':' .. collection .. ':'
if record == '' then return remove_document(index, id) end
local is_new = redis.call('EXISTS', index .. 'record:' .. id) == 0
if is_new then
  put_document(index, id, record, terms)
  trim_documents(index, tonumber(limit))
end
-- It is not there if it was the oldest of too many.
local is_indexed = redis.call('EXISTS', index .. 'record:' .. id) == 1
for name, value in string.gmatch(numbers, '(%a+) (%d+)') do
  if is_indexed and value ~= '0' then redis.call('ZADD', index .. name, 'NX', value, id) end
end
return is_new and 1 or 0
