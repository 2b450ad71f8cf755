-- Purpose: remove messages that are too old, or that everybody has got where they go then.
-- include chat/lua/includes/chat_context.lua
local PIECE = 500
-- The pictures of messages as they are stored.
local function pictures_in(raws)
  local found = {}
  for _, raw in ipairs(raws) do
    if raw and string.find(raw, '"pictures":', 1, true) then
      for _, picture in ipairs(cjson.decode(raw).pictures or {}) do found[#found + 1] = picture.name end
    end
  end
  return found
end
-- Has the worker remove pictures that are shown no more.
local function sweep(cid, partition, pictures)
  if pictures[1] then
    emit(outbox, partition, 'type', 'chat_swept', 'rid', '-', 'chat', cid, 'names', table.concat(pictures, ' '))
  end
end
-- Removes the messages up to one, with their pictures.
local function drop_to(cid, partition, last)
  local first = math.max(number('first'), 1)
  while first <= last do
    local ids = range(first, math.min(last, first + PIECE - 1))
    sweep(cid, partition, pictures_in(redis.call('HMGET', messages, unpack(ids))))
    for _, key in ipairs({messages, reactions}) do redis.call('HDEL', key, unpack(ids)) end
    redis.call('ZREM', changes, unpack(ids))
    first = first + #ids
  end
  redis.call('HSET', chat, 'first', id_text(first))
end
-- Who has read a message has got it, as has who fetched it.
local function collect(cid, partition)
  if field('keep') ~= 'fetched' then return end
  local got, least = {}, math.huge
  for _, key in ipairs({seen, fetched}) do
    local flat = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
    for index = 1, #flat, 2 do got[flat[index]] = math.max(got[flat[index]] or 0, tonumber(flat[index + 1])) end
  end
  for _, upto in pairs(got) do least = math.min(least, upto) end
  if least >= math.max(number('first'), 1) and least < math.huge then drop_to(cid, partition, least) end
end
