-- React to a message with an emoji, or take that back. Doing it again changes nothing.
--
-- KEYS     reactions      chat.chat_reactions(cid)
--          changes        chat.chat_changes(cid)
-- ARGV     uid          who acts
--          message_id
--          emoji
--          add          1, or 0 to take it back
--          limit        config.chat_reactions_max
-- RETURNS  1, or 0 if that is so already
-- ERRORS   NOTINCHAT, NOMESSAGE, REACTIONSFULL
-- WRITES   chat, reactions, changes
-- include chat/lua/includes/reader.lua

require_member(chat, members, uid)
local body = visible_message(messages, visible_from, uid, message_id)
if not body or cjson.decode(body).gone then refuse('NOMESSAGE', chat) end

local uids_by_emoji = cjson.decode(redis.call('HGET', reactions, message_id) or '{}')
local uids = uids_by_emoji[emoji] or {}
local emoji_count, position = 0, nil
for _ in pairs(uids_by_emoji) do emoji_count = emoji_count + 1 end
for index, reactor in ipairs(uids) do
  if id_text(reactor) == uid then position = index end
end
if (add == '1') == (position ~= nil) then return 0 end
if add == '1' then
  if not uids[1] and emoji_count >= tonumber(limit) then refuse('REACTIONSFULL', chat) end
  uids[#uids + 1] = tonumber(uid)
else
  table.remove(uids, position)
end

-- No list is ever stored empty: cjson cannot tell an empty list from an object.
uids_by_emoji[emoji] = uids[1] and uids or nil
if next(uids_by_emoji) then
  redis.call('HSET', reactions, message_id, cjson.encode(uids_by_emoji))
else
  redis.call('HDEL', reactions, message_id)
end
mark_changed(chat, changes, cid, message_id)
return 1
