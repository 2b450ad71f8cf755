-- Return the messages of a chat that a member has not fetched, and note that they have them now
-- (after Redis in Action, 6.5).
--
-- KEYS     members           chat.chat_members(cid)
-- ARGV     uid     who fetches
--          limit   most messages in an answer
--          mark    1 to note it
-- RETURNS  {the chat's fields, how many members, last id fetched, {id, message, reactions}…};
--          {} for somebody who is not a member
-- WRITES   fetch_positions
-- EMITS    chat_pictures_removed

if not is_member(members, uid) then return {} end

local position = tonumber(redis.call('ZSCORE', fetch_positions, uid))
local start = math.max(position, chat_number(chat, 'first') - 1)
local last = math.min(chat_number(chat, 'last'), start + tonumber(limit))
local rows = read_messages(messages, reactions, id_range(start + 1, last))
local reply = {redis.call('HGETALL', chat), redis.call('ZCARD', members), last, rows}

if mark == '1' and last > start then
  redis.call('ZADD', fetch_positions, 'GT', last, uid)
  trim_own()
end
return reply
