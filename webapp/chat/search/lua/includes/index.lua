-- The index of a chat's messages, which changes together with them.
-- `index` is a table of the keys `postings` and `records`. A `document` is a table: its `record`,
-- the words of a message in order and its other terms; its `terms`, spaced. A posting is a term,
-- a space, a letter for how many digits follow, and the message's id: they sort by term, then id.

-- Return the end of the postings of a message.
local function posting_end(id)
  local digits = id_text(tonumber(id))
  return ' ' .. string.char(96 + #digits) .. digits
end

-- Take messages out, at most a few hundred. Those that are not in it change nothing.
local function unindex_messages(index, ids)
  for place, record in ipairs(redis.call('HMGET', index.records, unpack(ids))) do
    local postings, ending = {}, posting_end(ids[place])
    for word in string.gmatch(record or '', '%S+') do postings[#postings + 1] = word .. ending end
    if postings[1] then redis.call('ZREM', index.postings, unpack(postings)) end
  end
  redis.call('HDEL', index.records, unpack(ids))
end

-- Index a message as it is now.
local function index_message(index, id, document)
  unindex_messages(index, {id})
  redis.call('HSET', index.records, id, document.record)
  local scored, ending = {}, posting_end(id)
  for term in string.gmatch(document.terms, '%S+') do
    scored[#scored + 1] = 0
    scored[#scored + 1] = term .. ending
  end
  if scored[1] then redis.call('ZADD', index.postings, unpack(scored)) end
end
