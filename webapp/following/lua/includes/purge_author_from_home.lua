-- Remove an author's statuses, and the replies to them, from a timeline. Its entries are
-- `id:author` or `id:author:replied_to`, with more fields or fewer.
local function purge_author_from_home(home, author)
  local as_last, inside = ':' .. author, ':' .. author .. ':'
  for _, entry in ipairs(redis.call('ZRANGE', home, 0, -1)) do
    if string.sub(entry, -#as_last) == as_last or string.find(entry, inside, 1, true) then
      redis.call('ZREM', home, entry)
    end
  end
end
