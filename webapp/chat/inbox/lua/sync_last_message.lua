-- Bring members' lists up to the newest message of a chat. Authors get the chat back on theirs.
--
-- KEYS     fences        hash: source -> token
--          prefixes...   for each partition, what the keys `chats` and `chat_state` begin with
-- ARGV     source
--          token
--          cid       the chat's id
--          last_id   newest message
--          sent_at   unix ms of it
--          uids...   for each partition, `uid` or, for an author, `uid=id read up to`, spaced
-- RETURNS  how many lists have the chat
-- ERRORS   LEASELOST
-- WRITES   fences, chats, chat_state
-- include core/events/lua/includes/fence.lua
-- include chat/inbox/lua/includes/chat_state.lua

local refusal = stale(fences, source, token)
if refusal then return refusal end

local changed = {}
local function sync(chats, chat_state, uid, read_up_to)
  local is_author = read_up_to ~= ''
  if not is_author and not redis.call('ZSCORE', chats, cid) then return end
  redis.call('ZADD', chats, 'GT', sent_at, cid)
  raise_state(chat_state, 'last:' .. cid, last_id)
  if is_author then
    raise_state(chat_state, 'read:' .. cid, read_up_to)
    redis.call('HDEL', chat_state, 'waiting:' .. cid)
  end
  changed[#changed + 1] = uid
end

for index, spaced in ipairs(uids) do
  local chats_prefix, state_prefix = prefixes[2 * index - 1], prefixes[2 * index]
  for uid, read_up_to in string.gmatch(spaced, '(%d+)=?(%d*)') do
    sync(chats_prefix .. uid, state_prefix .. uid, uid, read_up_to)
  end
end
if changed[1] then redis.call('PUBLISH', 'chat', 'b ' .. table.concat(changed, ' ')) end
return #changed
