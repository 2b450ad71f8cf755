-- Purpose: bring members' lists up to whether they belong to a chat, all of one partition.
-- KEYS: 1 = keys.fences; then for each member keys.member_chats, keys.chat_marks, keys.user
-- ARGV: 1 = source  2 = token  3 = cid  4 = its newest message  5 = unix ms of it; then for each member uid, newest message when
--       they came, or '' for who does not belong to it, and `request` where they are to be asked, else ''
-- Returns: the uids of those who belong to it although their accounts are deleted   Errors: LEASELOST   Writes: all keys but users
-- include core/events/lua/includes/fence.lua
local refusal = stale(KEYS[1], ARGV[1], ARGV[2])
if refusal then return refusal end
local cid, last, at, gone, told = ARGV[3], ARGV[4], ARGV[5], {}, {'b'}
local function raise(marks, name, value)
  if tonumber(redis.call('HGET', marks, name) or -1) < tonumber(value) then redis.call('HSET', marks, name, value) end
end
for index = 6, #ARGV, 3 do
  local uid, joined, waiting = ARGV[index], ARGV[index + 1], ARGV[index + 2]
  local list, marks, user = KEYS[index - 4], KEYS[index - 3], KEYS[index - 2]
  if joined ~= '' and redis.call('HEXISTS', user, 'login') == 0 then
    gone[#gone + 1] = uid
  elseif joined ~= '' then
    local new = redis.call('ZADD', list, 'NX', at, cid) == 1
    if new and waiting ~= '' then redis.call('HSET', marks, 'waiting:' .. cid, waiting) end
    raise(marks, 'last:' .. cid, last)
    raise(marks, 'read:' .. cid, joined)
  else
    redis.call('ZREM', list, cid)
    for _, mark in ipairs({'last:', 'read:', 'muted:', 'archived:', 'waiting:'}) do redis.call('HDEL', marks, mark .. cid) end
  end
  told[#told + 1] = uid
end
redis.call('PUBLISH', 'chat', table.concat(told, ' '))
return gone
