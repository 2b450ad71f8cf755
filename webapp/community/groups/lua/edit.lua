-- Change what a group says of itself, its picture, and how its members vote, as an owner. Its chat
-- gets its new name.
--
-- ARGV     uid
--          fields...   names and values
-- ERRORS   NOGROUP, ONLYGROUPOWNERS
-- WRITES   group, chats
-- EMITS    group_edited, chat_changed

require_group_owner(owners, uid)
refuse_when_behind()
local old_picture = redis.call('HGET', group, 'picture') or ''
local old_name = redis.call('HGET', group, 'name')
redis.call('HSET', group, unpack(fields))
local replaced = old_picture ~= redis.call('HGET', group, 'picture') and old_picture or ''
local chat, name = chat_of(), redis.call('HGET', group, 'name')
if chat and name ~= old_name then
  redis.call('HSET', chat.chat, 'name', name)
  emit('chat_changed', 'chat', chat.cid)
  publish('c', chat.cid)
end
emit('group_edited', 'group', gid, 'replaced', replaced)
return 1
