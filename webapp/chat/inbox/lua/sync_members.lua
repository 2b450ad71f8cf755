-- Put a chat on members' lists, or take it off, by whether they belong to it now.
--
-- KEYS     fences     core.events.fences(tag)
--          lists...   for each member, the keys `chats`, `chat_state`, `chats_unfetched` and `user`
-- ARGV     cid         the chat's id
--          last_id     newest message
--          sent_at     unix ms of it
--          added_by    uid of who added them, '' if nobody did
--          states...   for each member: uid; newest message when they came, '' if they do not
--                      belong to it; 'request' if they must accept first, else ''
-- RETURNS  the uids of members whose accounts are deleted
-- WRITES   lists
-- FENCED

local function add_to_list(chats, chat_state, unfetched, uid, joined_at, request)
  local is_new = redis.call('ZADD', chats, 'NX', sent_at, cid) == 1
  if is_new and request ~= '' then redis.call('HSET', chat_state, 'waiting:' .. cid, request) end
  local is_added = added_by ~= '' and added_by ~= uid
  local is_read = redis.call('HEXISTS', chat_state, 'read:' .. cid) == 1
  if is_new and is_added and not is_read then redis.call('HSET', chat_state, 'added:' .. cid, 1) end
  -- Some of the messages before they came may be theirs to fetch.
  if last_id ~= '0' then redis.call('ZADD', unfetched, 'GT', last_id, cid) end
  raise_state(chat_state, 'last:' .. cid, last_id)
  raise_state(chat_state, 'read:' .. cid, joined_at)
  -- The counts of somebody who left and came back begin here.
  if joined_at ~= '0' then
    raise_state(chat_state, 'sent:' .. cid, joined_at)
    raise_state(chat_state, 'sent_read:' .. cid, joined_at)
  end
end

local deleted, uids = {}, {}
for index = 1, #states, 3 do
  local uid, joined_at, request = states[index], states[index + 1], states[index + 2]
  local place = (index - 1) / 3 * 4
  local chats, chat_state, unfetched, user = unpack(lists, place + 1, place + 4)
  if joined_at == '' then
    redis.call('ZREM', chats, cid)
    redis.call('ZREM', unfetched, cid)
    clear_state(chat_state, cid)
    redis.call('HDEL', chat_state, 'deleted:' .. cid)
  elseif redis.call('HEXISTS', user, 'login') == 0 then
    deleted[#deleted + 1] = uid
  else
    add_to_list(chats, chat_state, unfetched, uid, joined_at, request)
  end
  uids[#uids + 1] = uid
end
redis.call('PUBLISH', 'chat', 'b ' .. table.concat(uids, ' '))
return deleted
