-- Remove messages that are too old, or that everybody has where messages go then.
-- A `history` is a table: the keys `chat`, `messages`, `reactions`, `changes`, `postings`
-- and `records`, and the chat's `cid`.

local TRIM_BATCH = 500

-- Remove the messages up to `last`, with their pictures. Their words follow.
local function trim_until(history, last)
  local first = math.max(chat_number(history.chat, 'first'), 1)
  while first <= last do
    local ids = id_range(first, math.min(last, first + TRIM_BATCH - 1))
    local pictures = picture_names(redis.call('HMGET', history.messages, unpack(ids)))
    remove_pictures(history.cid, pictures)
    redis.call('HDEL', history.messages, unpack(ids))
    redis.call('HDEL', history.reactions, unpack(ids))
    redis.call('ZREM', history.changes, unpack(ids))
    first = first + #ids
  end
  set_first(history, first)
end

-- Return the id up to which every member has read or fetched; infinite without members.
local function fetched_by_all(read_receipts, fetch_positions)
  local positions, lowest = {}, math.huge
  for _, key in ipairs({read_receipts, fetch_positions}) do
    local flat = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
    for index = 1, #flat, 2 do
      positions[flat[index]] = math.max(positions[flat[index]] or 0, tonumber(flat[index + 1]))
    end
  end
  for _, position in pairs(positions) do lowest = math.min(lowest, position) end
  return lowest
end

-- Remove the messages that every member has read or fetched, in a chat that keeps them until then.
local function trim_fetched(history, read_receipts, fetch_positions)
  if redis.call('HGET', history.chat, 'retention') == 'fetched' then
    local last = fetched_by_all(read_receipts, fetch_positions)
    local first = math.max(chat_number(history.chat, 'first'), 1)
    if last >= first and last < math.huge then trim_until(history, last) end
  end
  unindex_removed(history)
end
