-- Let somebody into a chat.
-- `roster` is a table of the keys `chat`, `members`, `visible_from`, `read_receipts` and
-- `fetch_positions`. With `sees_history` they see earlier messages. A bot is marked, as it cannot
-- become an owner by succession. `added_by`: who added them, nil if nobody did.
local function add_member(roster, uid, sees_history, is_bot, added_by)
  local last = chat_number(roster.chat, 'last')
  local first = sees_history and math.max(chat_number(roster.chat, 'first'), 1) or last + 1
  local newest = redis.call('ZRANGE', roster.members, -1, -1, 'WITHSCORES')
  local joined_us = math.max(now_us(), tonumber(newest[2] or 0) + 1)
  local visible_from = id_text(first) .. ' ' .. id_text(last)
  visible_from = visible_from .. (added_by and ' ' .. added_by or '') .. (is_bot and ' b' or '')
  redis.call('ZADD', roster.members, id_text(joined_us), uid)
  redis.call('HSET', roster.visible_from, uid, visible_from)
  redis.call('ZADD', roster.read_receipts, last, uid)
  redis.call('ZADD', roster.fetch_positions, first - 1, uid)
end

-- Return the uids in a text, as a set.
local function set_of(uids)
  local set = {}
  for uid in string.gmatch(uids, '%d+') do set[uid] = true end
  return set
end
