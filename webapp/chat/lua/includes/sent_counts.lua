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

-- Return how many of the messages from `first` to `last` a member has sent, at most `most`.
local function count_own(messages, uid, first, last, most)
  local count = 0
  while count < most and first <= last do
    local ids = id_range(first, math.min(last, first + SENT_BATCH - 1))
    for _, body in ipairs(redis.call('HMGET', messages, unpack(ids))) do
      if body and string.find(body, '{"by":' .. uid .. ',', 1, true) == 1 then count = count + 1 end
    end
    first = first + #ids
  end
  return count
end

-- Return how many messages a member has sent up to `id`, which is not before `read_up_to`, where
-- they have read. Looks through what lies between `id` and the nearer of that and the newest.
local function sent_until(sent, chat, messages, uid, id, read_up_to)
  local all, read = sent_counts(sent, uid)
  local first, last = chat_number(chat, 'first'), chat_number(chat, 'last')
  if read_up_to + 1 >= first and id - read_up_to < last - id then
    return read + count_own(messages, uid, read_up_to + 1, id, all - read)
  end
  return all - count_own(messages, uid, math.max(id + 1, first), last, all - read)
end
