-- Purpose: take an author's statuses out of a home timeline.
local function leave(home, author)
  local suffix = ':' .. author
  for _, entry in ipairs(redis.call('ZRANGE', home, 0, -1)) do
    if string.sub(entry, -#suffix) == suffix then redis.call('ZREM', home, entry) end
  end
end
