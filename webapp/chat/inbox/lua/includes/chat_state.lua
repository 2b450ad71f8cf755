-- Purpose: read the marks of a member's list of chats.
local function marks_of(key)
  local flat, marks = redis.call('HGETALL', key), {}
  for index = 1, #flat, 2 do marks[flat[index]] = flat[index + 1] end
  return marks
end
-- How much is unread in a chat, and whether it is put away until something comes.
local function unread_of(marks, cid)
  local last = tonumber(marks['last:' .. cid] or 0)
  local archived = marks['archived:' .. cid]
  return math.max(0, last - tonumber(marks['read:' .. cid] or 0)), archived and last <= tonumber(archived)
end
