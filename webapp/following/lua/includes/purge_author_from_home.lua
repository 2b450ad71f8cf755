-- Purpose: take an author's statuses, and the replies to them, out of a home timeline.
local function leave(home, author)
  local suffix, inside = ':' .. author, ':' .. author .. ':'
  for _, entry in ipairs(redis.call('ZRANGE', home, 0, -1)) do
    if string.sub(entry, -#suffix) == suffix or string.find(entry, inside, 1, true) then redis.call('ZREM', home, entry) end
  end
end
