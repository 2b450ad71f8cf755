-- Change a group's name, looks and settings, as an owner. The chat of a group keeps its kind.
--
-- KEYS     members           chat.chat_members(cid)
--          owners            chat.chat_owners(cid)
-- ARGV     uid         who acts
--          fields...   names and values
-- ERRORS   NOCHAT, NOTINCHAT, ONLYOWNERS, CHATOFGROUP
-- WRITES   chat
-- EMITS    chat_pictures_removed, chat_changed

local function require_kind()
  for at = 1, #fields, 2 do
    if fields[at] == 'kind' then require_unbound(chat) end
  end
end

require_group_chat(chat)
require_member(chat, members, uid)
require_owner(chat, owners, uid)
require_kind()
refuse_when_behind()

local old_picture = redis.call('HGET', chat, 'picture') or ''
redis.call('HSET', chat, unpack(fields))
if old_picture ~= '' and old_picture ~= redis.call('HGET', chat, 'picture') then
  remove_pictures(cid, {old_picture})
end
trim_own()
emit('chat_changed', 'chat', cid)
publish('c', cid)
return 1
