-- The lists of reports.

-- Return the category and the author of a report's content, as the names of its lists have them.
local function category_and_author(content)
  return content.category or 'other', string.format('%.0f', content.author or 0)
end

-- Remove what a list holds beyond `limit`, the oldest first, from everywhere.
local function trim_reports(list, limit, state, contents, queues)
  local surplus = redis.call('ZCARD', list) - tonumber(limit)
  if surplus <= 0 then return end
  local oldest = redis.call('ZPOPMIN', list, surplus)
  for index = 1, #oldest, 2 do
    local id = oldest[index]
    local content = cjson.decode(redis.call('HGET', contents, id) or '{}')
    local category, author = category_and_author(content)
    redis.call('ZREM', queues .. state .. '.' .. category, id)
    redis.call('ZREM', queues .. 'about.' .. author, id)
    if content.taken then redis.call('ZREM', queues .. 'taken.' .. content.taken, id) end
    redis.call('HDEL', contents, id)
  end
end
