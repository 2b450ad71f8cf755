-- Read a member's recent contacts: people they mentioned, answered, followed or wrote to. Group
-- chats, and requests of strangers, do not count.
--
-- KEYS     contacts     autocomplete.contacts(uid)
--          following    following.following(uid)
--          chats        chat.inbox.member_chats(uid)
--          chat_state   chat.inbox.member_chat_state(uid)
-- ARGV     limit   most of each kind, and of all together
-- RETURNS  uids, the most recent first
-- WRITES   nothing

local times, uids = {}, {}
local function note(other, ms)
  if not times[other] then uids[#uids + 1] = other end
  times[other] = math.max(times[other] or 0, ms)
end
local function newest(key)
  return redis.call('ZRANGE', key, 0, limit - 1, 'REV', 'WITHSCORES')
end

local direct = newest(contacts)
for index = 1, #direct, 2 do note(direct[index], tonumber(direct[index + 1])) end
direct = newest(following)
for index = 1, #direct, 2 do note(direct[index], math.floor(direct[index + 1] / 1000)) end
direct = newest(chats)
for index = 1, #direct, 2 do
  local one, two = string.match(direct[index], '^(%d+)-(%d+)$')
  if one and redis.call('HEXISTS', chat_state, 'waiting:' .. direct[index]) == 0 then
    note(one == uid and two or one, tonumber(direct[index + 1]))
  end
end
table.sort(uids, function(a, b)
  if times[a] ~= times[b] then return times[a] > times[b] end
  return tonumber(a) > tonumber(b)
end)
return {unpack(uids, 1, math.min(#uids, tonumber(limit)))}
