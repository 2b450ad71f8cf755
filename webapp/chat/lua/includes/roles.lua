-- Check the rights of a member in a chat.
-- include chat/lua/includes/chat.lua

local function is_member(members, uid) return redis.call('ZSCORE', members, uid) ~= false end

local function is_owner(owners, uid) return redis.call('SISMEMBER', owners, uid) == 1 end

-- Return the id of the first message that a member may see.
local function first_visible_id(visible_from, uid)
  return tonumber(string.match(redis.call('HGET', visible_from, uid) or '', '^%d+') or '')
end

local function require_chat(chat)
  if redis.call('HEXISTS', chat, 'kind') == 0 then refuse('NOCHAT', chat) end
end

-- Refuse direct chats too.
local function require_group_chat(chat)
  local kind = redis.call('HGET', chat, 'kind')
  if not kind or kind == 'direct' then refuse('NOCHAT', chat) end
end

local function require_member(chat, members, uid)
  if not is_member(members, uid) then refuse('NOTINCHAT', chat) end
end

local function require_owner(chat, owners, uid)
  if not is_owner(owners, uid) then refuse('ONLYOWNERS', chat) end
end

-- Refuse for the chat of a group, which decides who belongs to it.
local function require_unbound(chat)
  if redis.call('HEXISTS', chat, 'group') == 1 then refuse('CHATOFGROUP', chat) end
end

-- Only owners write in announcements, and only they bring people there.
local function require_writer(chat, owners, uid)
  if redis.call('HGET', chat, 'kind') == 'announcement' then
    require_owner(chat, owners, uid)
  end
end
