-- Read the messages of a chat, and note that one has changed.

local CHANGES_MAX = 1000

-- Return the ids from `first` to `last`, as text.
local function id_range(first, last)
  local ids = {}
  for id = first, last do ids[#ids + 1] = id_text(id) end
  return ids
end

-- Return {id, message, reactions} for each of `ids` that is kept; at most a few thousand ids.
local function read_messages(messages, reactions, ids)
  local rows = {}
  if not ids[1] then return rows end
  local bodies = redis.call('HMGET', messages, unpack(ids))
  local reaction_lists = redis.call('HMGET', reactions, unpack(ids))
  for index, id in ipairs(ids) do
    if bodies[index] then rows[#rows + 1] = {id, bodies[index], reaction_lists[index]} end
  end
  return rows
end

-- Return a stored message, nil if there is none that the member may see. A deleted one is stored.
local function visible_message(messages, visible_from, uid, id)
  local body = redis.call('HGET', messages, id)
  return body and tonumber(id) >= first_visible_id(visible_from, uid) and body or nil
end

-- Return the ids that `rows` of messages reply to, those from `first` on.
local function parent_ids(rows, first)
  local ids = {}
  for _, row in ipairs(rows) do
    local parent = string.match(row[2], '"reply":(%d+)')
    if parent and tonumber(parent) >= first then ids[#ids + 1] = parent end
  end
  return ids
end

-- Count a change of a message, for readers who come back, and tell open pages.
local function mark_changed(chat, changes, cid, id)
  local revision = redis.call('HINCRBY', chat, 'rev', 1)
  redis.call('ZADD', changes, revision, id)
  local surplus = redis.call('ZCARD', changes) - CHANGES_MAX
  if surplus > 0 then
    local forgotten = redis.call('ZPOPMIN', changes, surplus)
    redis.call('HSET', chat, 'trimmed_rev', forgotten[2 * surplus])
  end
  publish('m', cid)
end
