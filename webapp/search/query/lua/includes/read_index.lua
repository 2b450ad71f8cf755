-- Reading one generation and collection of the index.

-- Return the prefix of the collection's keys, in the generation that is read.
local function read_index(generation, collection)
  local current = redis.call('HGET', generation, 'current') or '1'
  return table.concat({generation, current, collection, ''}, ':')
end

-- Return the uid that owns a document, '0' if it is gone.
local function author_of(index, id)
  return string.match(redis.call('GET', index .. 'record:' .. id) or '0', '^%d+')
end
