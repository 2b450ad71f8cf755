-- Count the messages that members send themselves, which are never unread to them. The hash `sent`
-- has two numbers of each member who has sent something: their messages in all, and those up to
-- where they have read. Both begin at the message before their first, so they only grow, even if
-- the member leaves and comes back.

local SENT_BATCH = 500

-- Return both numbers of a member.
local function sent_counts(sent, uid)
  local all, read = string.match(redis.call('HGET', sent, uid) or '0 0', '^(%d+) (%d+)$')
  return tonumber(all), tonumber(read)
end

-- Count the message `id` of a member, who has read it if `is_read`.
local function count_sent(sent, uid, id, is_read)
  local all, read = id - 1, id - 1
  if redis.call('HEXISTS', sent, uid) == 1 then all, read = sent_counts(sent, uid) end
  redis.call('HSET', sent, uid, id_text(all + 1) .. ' ' .. id_text(is_read and all + 1 or read))
end

-- Return how many messages a member has sent up to `id`, which is not before where they have read.
local function sent_until(sent, chat, messages, uid, id)
  local all, read = sent_counts(sent, uid)
  local last = chat_number(chat, 'last')
  local start = math.max(id + 1, chat_number(chat, 'first'))
  while all > read and start <= last do
    local ids = id_range(start, math.min(last, start + SENT_BATCH - 1))
    for _, body in ipairs(redis.call('HMGET', messages, unpack(ids))) do
      if body and string.find(body, '{"by":' .. uid .. ',', 1, true) == 1 then all = all - 1 end
    end
    start = start + #ids
  end
  return all
end
