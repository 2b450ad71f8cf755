-- The chat of a group. It lies in the group's partition, so that one script changes both: who
-- leaves the group leaves the chat in the same moment.
--
-- KEYS     group    statuses.visibility.group(gid)
--          owners   statuses.visibility.group_owners(gid)
--          chats    chat.chat.prefix(gid)
-- WRITES   chats

-- Return the keys of a group's chat, nil without one.
local function chat_of()
  local cid = redis.call('HGET', group, 'chat')
  return cid and keys_of_chat(chats, cid) or nil
end

-- Make a member of the chat its owner while they own the group.
local function match_owner(chat, uid)
  if not chat then return end
  local owns = redis.call('SISMEMBER', owners, uid) == 1 and redis.call('ZSCORE', chat.members, uid)
  redis.call(owns and 'SADD' or 'SREM', chat.owners, uid)
end
