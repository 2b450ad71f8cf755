-- Give a group a chat and let the owner who does it in, or delete the chat with all its messages.
-- Doing it again changes nothing.
--
-- ARGV     uid
--          cid           of a new chat in the group's partition, or '' to delete the chat
--          members_max   config.chat_members_max
-- ERRORS   NOGROUP, ONLYGROUPOWNERS, CHATFULL
-- WRITES   group, chats
-- EMITS    chat_members, chat_deleted, chat_pictures_removed

require_group_owner(owners, uid)
refuse_when_behind()
local chat = chat_of()
if cid == '' then
  end_chat(chat)
  redis.call('HDEL', group, 'chat')
  return 1
end
if chat then return 1 end
local name, slug, kind = unpack(redis.call('HMGET', group, 'name', 'slug', 'kind'))
kind = kind == 'announcements' and 'announcement' or 'private'
redis.call('HSET', group, 'chat', cid)
chat = keys_of_chat(chats, cid)
make_chat(chat.chat, uid, 'kind', kind, 'name', name, 'topic', '', 'shared', 1,
  'retention', 'history', 'group', slug)
enter_chat(chat, uid, members_max)
return 1
