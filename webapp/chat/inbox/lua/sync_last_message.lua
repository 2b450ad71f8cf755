-- Purpose: bring members' lists up to a chat's newest message. Who wrote one wants the chat on it.
-- KEYS: 1 = keys.fences; then for each partition the beginnings of its keys.member_chats and keys.chat_marks
-- ARGV: 1 = source  2 = token  3 = cid  4 = its newest message  5 = unix ms of it; then for each partition `uid`, or `uid=read up to` of who wrote, spaced
-- Returns: how many lists have the chat   Errors: LEASELOST   Writes: KEYS[1], and lists and marks below the beginnings
-- include core/events/lua/includes/fence.lua
local refusal = stale(KEYS[1], ARGV[1], ARGV[2])
if refusal then return refusal end
local cid, last, at, told = ARGV[3], ARGV[4], ARGV[5], {'b'}
local function raise(marks, name, value)
  if tonumber(redis.call('HGET', marks, name) or -1) < tonumber(value) then redis.call('HSET', marks, name, value) end
end
for part = 6, #ARGV do
  local lists, marks = KEYS[2 * part - 10], KEYS[2 * part - 9]
  for uid, wrote in string.gmatch(ARGV[part], '(%d+)=?(%d*)') do
    if wrote ~= '' or redis.call('ZSCORE', lists .. uid, cid) then
      redis.call('ZADD', lists .. uid, 'GT', at, cid)
      raise(marks .. uid, 'last:' .. cid, last)
      if wrote ~= '' then
        raise(marks .. uid, 'read:' .. cid, wrote)
        redis.call('HDEL', marks .. uid, 'waiting:' .. cid)
      end
      told[#told + 1] = uid
    end
  end
end
if told[2] then redis.call('PUBLISH', 'chat', table.concat(told, ' ')) end
return #told - 1
