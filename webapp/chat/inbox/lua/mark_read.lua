-- Note how far a member has read a chat. This only grows.
--
-- KEYS     members           chat.chat_members(cid)
--          sent              chat.chat_sent(cid)
-- ARGV     uid          who has read
--          message_id   the last message
--          quiet        1 to tell no open page
-- RETURNS  {the id up to which they have read, how many messages they have sent up to there}
-- ERRORS   NOTINCHAT
-- WRITES   read_receipts, sent
-- EMITS    chat_pictures_removed

require_member(chat, members, uid)

-- Messages that are gone count as read.
local last = math.min(tonumber(message_id), chat_number(chat, 'last'))
last = math.max(last, chat_number(chat, 'first') - 1)
local read_up_to = tonumber(redis.call('ZSCORE', read_receipts, uid))
local moved = redis.call('ZADD', read_receipts, 'GT', 'CH', last, uid) == 1
if moved and redis.call('HEXISTS', sent, uid) == 1 then
  local sent_read = sent_until(sent, chat, messages, uid, last, read_up_to)
  redis.call('HSET', sent, uid, id_text(sent_counts(sent, uid)) .. ' ' .. id_text(sent_read))
end
if moved and quiet ~= '1' then publish('s', cid, uid, id_text(last)) end
trim_own()
local _, sent_read = sent_counts(sent, uid)
return {tonumber(redis.call('ZSCORE', read_receipts, uid)), sent_read}
