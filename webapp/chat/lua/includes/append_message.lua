-- Add a message to a chat, with its id, its time and its event, and return the id.
-- `history` is the table of trim_history.lua; `body` is JSON, without the message's `by` and `at`;
-- `document` is that of index.lua.
local function append_message(
    history, read_receipts, sent, uid, body, history_max, document)
  local chat = history.chat
  local fields = redis.call('HMGET', chat, 'last', 'rev', 'last_at', 'first')
  local id, revision = tonumber(fields[1]) + 1, tonumber(fields[2]) + 1
  local now, last_at = now_ms(), tonumber(fields[3] or 0)
  -- Not before the last message, unless a wrong clock has dated that.
  local sent_at = id_text(last_at > now + AHEAD_MS and now or math.max(now, last_at))
  local head = '{"by":' .. uid .. ',"at":' .. sent_at .. ','
  redis.call('HSET', chat, 'last', id, 'rev', revision, 'last_at', sent_at)
  redis.call('HSET', history.messages, id, head .. string.sub(body, 2))
  index_message(history, id, document)
  -- An author who had read everything before has read this message too.
  local is_read = tonumber(redis.call('ZSCORE', read_receipts, uid)) == id - 1
  if is_read then redis.call('ZADD', read_receipts, id, uid) end
  count_sent(sent, uid, id, is_read)
  local first = math.max(tonumber(fields[4]), 1)
  if id - first >= tonumber(history_max) then trim_until(history, id - tonumber(history_max)) end
  unindex_removed(history)
  emit('message_sent', 'chat', history.cid, 'id', id, 'uid', uid, 'sent_at', sent_at)
  publish('m', history.cid)
  return id
end
