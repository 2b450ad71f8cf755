-- Read and write the hash of a member's list of chats.

local STATE_FIELDS = {
  'last:', 'read:', 'sent:', 'sent_read:', 'muted:', 'archived:', 'waiting:', 'added:',
}

-- Return the hash as a table.
local function read_state(chat_state)
  local flat, state = redis.call('HGETALL', chat_state), {}
  for index = 1, #flat, 2 do state[flat[index]] = flat[index + 1] end
  return state
end

-- Return how many messages of others are unread in a chat. Deleted ones do not count. A chat that
-- somebody added them to counts as one until they open it.
local function unread_count(state, cid)
  local function number(field) return tonumber(state[field .. cid] or 0) end
  local read_up_to, last = number('read:'), number('last:')
  local sent_unread = math.max(0, number('sent:') - number('sent_read:'))
  local deleted = deleted_between(state['deleted:' .. cid], read_up_to, last)
  local unread = last - read_up_to - sent_unread - #deleted
  return math.max(state['added:' .. cid] and 1 or 0, unread)
end

-- Return true if a chat is archived and nothing has come since.
local function is_archived(state, cid)
  local archived_at = state['archived:' .. cid]
  return archived_at and tonumber(state['last:' .. cid] or 0) <= tonumber(archived_at)
end

-- Raise a number of the hash to `value`; a greater one stays.
local function raise_state(chat_state, field, value)
  if tonumber(redis.call('HGET', chat_state, field) or -1) < tonumber(value) then
    redis.call('HSET', chat_state, field, value)
  end
end

-- Remove a chat's fields from the hash, except the deleted messages.
local function clear_state(chat_state, cid)
  for _, field in ipairs(STATE_FIELDS) do redis.call('HDEL', chat_state, field .. cid) end
end
