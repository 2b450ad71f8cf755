-- Put a chat on members' lists, or take it off, by whether they belong to it now.
--
-- KEYS     fences     hash: source -> token
--          lists...   for each member, the keys `chats`, `chat_state` and `user`
-- ARGV     source
--          token
--          cid         the chat's id
--          last_id     newest message
--          sent_at     unix ms of it
--          states...   for each member: uid; newest message when they came, '' if they do not
--                      belong to it; 'request' if they must accept first, else ''
-- RETURNS  the uids of members whose accounts are deleted
-- ERRORS   LEASELOST
-- WRITES   fences, chats, chat_state
-- include core/events/lua/includes/fence.lua
-- include chat/inbox/lua/includes/chat_state.lua

local refusal = stale(fences, source, token)
if refusal then return refusal end

local function add_to_list(chats, chat_state, joined_at, request)
  local is_new = redis.call('ZADD', chats, 'NX', sent_at, cid) == 1
  if is_new and request ~= '' then redis.call('HSET', chat_state, 'waiting:' .. cid, request) end
  raise_state(chat_state, 'last:' .. cid, last_id)
  raise_state(chat_state, 'read:' .. cid, joined_at)
end

local deleted, uids = {}, {}
for index = 1, #states, 3 do
  local uid, joined_at, request = states[index], states[index + 1], states[index + 2]
  local chats, chat_state, user = lists[index], lists[index + 1], lists[index + 2]
  if joined_at == '' then
    redis.call('ZREM', chats, cid)
    clear_state(chat_state, cid)
  elseif redis.call('HEXISTS', user, 'login') == 0 then
    deleted[#deleted + 1] = uid
  else
    add_to_list(chats, chat_state, joined_at, request)
  end
  uids[#uids + 1] = uid
end
redis.call('PUBLISH', 'chat', 'b ' .. table.concat(uids, ' '))
return deleted
