-- Purpose: add a message to a chat: its dense id, its time, its event.
-- include chat/lua/includes/trim_history.lua
local function say(cid, partition, uid, body, history, rid)
  local last, rev, last_at, first = unpack(redis.call('HMGET', chat, 'last', 'rev', 'last_at', 'first'))
  local id, at = tonumber(last) + 1, math.max(now_ms(), tonumber(last_at or 0))
  redis.call('HSET', chat, 'last', id, 'rev', tonumber(rev) + 1, 'last_at', id_text(at))
  redis.call('HSET', messages, id, '{"by":' .. uid .. ',"at":' .. id_text(at) .. ',' .. string.sub(body, 2))
  -- Who had read all that was before has read this too.
  if tonumber(redis.call('ZSCORE', seen, uid)) == id - 1 then redis.call('ZADD', seen, id, uid) end
  if id - math.max(tonumber(first), 1) >= tonumber(history) then drop_to(cid, partition, id - tonumber(history)) end
  emit(outbox, partition, 'type', 'chatted', 'rid', rid, 'chat', cid, 'id', id, 'by', uid, 'at', id_text(at))
  nudge('m', cid)
  return id
end
