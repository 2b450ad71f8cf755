-- Purpose: let somebody into a chat. What was before is theirs where `shared`; a bot never inherits it.
-- include chat/lua/includes/chat_context.lua
local function enter(uid, shared, bot)
  local last, newest = number('last'), redis.call('ZRANGE', members, -1, -1, 'WITHSCORES')
  local first = shared and math.max(number('first'), 1) or last + 1
  redis.call('ZADD', members, id_text(math.max(now_us(), tonumber(newest[2] or 0) + 1)), uid)
  redis.call('HSET', since, uid, id_text(first) .. ' ' .. id_text(last) .. (bot and ' b' or ''))
  redis.call('ZADD', seen, last, uid)
  redis.call('ZADD', fetched, first - 1, uid)
end
-- The members named in a text, as a set.
local function set_of(uids)
  local found = {}
  for uid in string.gmatch(uids, '%d+') do found[uid] = true end
  return found
end
