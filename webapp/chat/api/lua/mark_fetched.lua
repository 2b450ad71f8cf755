-- Note that a member has fetched a chat up to a message.
--
-- KEYS     members           chat.chat_members(cid)
-- ARGV     uid          who has fetched
--          message_id   the last message
-- RETURNS  the last message that counts as fetched, -1 for somebody who is not a member
-- WRITES   fetch_positions
-- EMITS    chat_pictures_removed

if not is_member(members, uid) then return -1 end

local last = math.min(tonumber(message_id), chat_number(chat, 'last'))
redis.call('ZADD', fetch_positions, 'GT', last, uid)
trim_own()
return last
