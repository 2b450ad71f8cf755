-- The lists of reports.

-- Return the category and the author of a report's content, as the names of its lists have them.
local function category_and_author(content)
  return content.category or 'other', string.format('%.0f', content.author or 0)
end

-- Take a report off the lists of the groups whose owners see it.
local function leave_groups(content, queues, id)
  for _, gid in ipairs(content.groups or {}) do
    redis.call('ZREM', queues .. 'group.' .. gid, id)
  end
end

-- Write a report's content. cjson writes an empty list as {}, so there is none.
local function store_content(contents, id, content)
  for _, name in ipairs({'texts', 'groups'}) do
    if #(content[name] or {}) == 0 then content[name] = nil end
  end
  redis.call('HSET', contents, id, cjson.encode(content))
end

-- Remove a report from all lists but that of its state, and its content.
local function forget_report(id, state, contents, queues)
  local content = cjson.decode(redis.call('HGET', contents, id) or '{}')
  local category, author = category_and_author(content)
  redis.call('ZREM', queues .. state .. '.' .. category, id)
  redis.call('ZREM', queues .. 'about.' .. author, id)
  if content.taken then redis.call('ZREM', queues .. 'taken.' .. content.taken, id) end
  leave_groups(content, queues, id)
  redis.call('HDEL', contents, id)
end

-- Remove what a list holds beyond `limit`, the oldest first, from everywhere.
local function trim_reports(list, limit, state, contents, queues)
  local surplus = redis.call('ZCARD', list) - tonumber(limit)
  if surplus <= 0 then return end
  local oldest = redis.call('ZPOPMIN', list, surplus)
  for index = 1, #oldest, 2 do
    forget_report(oldest[index], state, contents, queues)
  end
end
