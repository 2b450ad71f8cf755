-- Purpose: open a chat for a member: what it is, how far everybody has read, and a page of its messages with what they answer.
-- KEYS: 1 to 12 = store.names
-- ARGV: 1 = uid  2 = around which id: a number, '' for the newest, 'unread'  3 = how many before it  4 = how many from it on
--       5 = how many readers are told  6 = unix ms to begin at instead of an id, or ''
-- Returns: {fields, members, owner, first visible, read up to, {{id, message, reactions}…}, {the same of messages answered to},
--          {uid, read up to…} of those who read most, from, to}
-- Errors: NOCHAT, NOTINCHAT   Writes: nothing
-- include chat/lua/includes/chat_context.lua
local uid, around, before, after, readers, ms = unpack(ARGV)
if not field('kind') then return refuse('NOCHAT') end
if not belongs(uid) then return refuse('NOTINCHAT') end
local last, first = number('last'), math.max(number('first'), first_of(uid))
local mark = tonumber(redis.call('ZSCORE', seen, uid))
-- The first message at or after a time: their times only grow.
local function at_or_after(time)
  local low, high = first, last + 1
  while low < high do
    local middle = math.floor((low + high) / 2)
    local at = tonumber(string.match(redis.call('HGET', messages, middle) or '', '"at":(%d+)') or 0)
    if at < time then low = middle + 1 else high = middle end
  end
  return low
end
local at = tonumber(around)
if ms ~= '' then at = at_or_after(tonumber(ms)) elseif around == 'unread' then at = mark + 1 end
at = math.max(first, math.min(at or last + 1, last + 1))
local from, to = math.max(first, at - before), math.min(last, at + after - 1)
local found, parents, wanted = read(range(from, to)), {}, {}
for _, entry in ipairs(found) do
  local parent = string.match(entry[2], '"reply":(%d+)')
  if parent and tonumber(parent) >= first then wanted[#wanted + 1] = parent end
end
parents = read(wanted)
local marks, flat = {}, redis.call('ZRANGE', seen, '+inf', '(0', 'BYSCORE', 'REV', 'LIMIT', 0, readers, 'WITHSCORES')
for index = 1, #flat, 2 do -- newcomers begin with what was there, which they have not seen
  if tonumber(flat[index + 1]) >= first_of(flat[index]) then
    marks[#marks + 1], marks[#marks + 2] = flat[index], flat[index + 1]
  end
end
local owner, count = owns(uid) and 1 or 0, redis.call('ZCARD', members)
return {redis.call('HGETALL', chat), count, owner, first, mark, found, parents, marks, from, to}
