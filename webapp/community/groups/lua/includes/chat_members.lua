-- Let people into the chat of a group, and take them out. `chat`: its keys, nil without one. Needs
-- EMITS chat_members, chat_deleted, chat_pictures_removed.

-- Let a member of the group in. Doing it again changes nothing. Refuse if it is full.
local function enter_chat(chat, uid, members_max)
  if redis.call('ZSCORE', chat.members, uid) then return end
  if redis.call('ZCARD', chat.members) >= tonumber(members_max) then
    refuse('CHATFULL', chat.chat)
  end
  add_member(chat, uid, redis.call('HGET', chat.chat, 'shared') == '1')
  match_owner(chat, uid)
  emit('chat_members', 'chat', chat.cid, 'uids', uid, 'must_accept', '')
  publish('c', chat.cid)
end

local function leave_chat(chat, uid)
  if chat and redis.call('ZSCORE', chat.members, uid) then remove_member(chat, uid) end
end

local function end_chat(chat)
  if chat then delete_chat(chat, table.concat(redis.call('ZRANGE', chat.members, 0, -1), ' ')) end
end
