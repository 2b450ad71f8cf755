-- Answer reports for a group, as its owner: dismiss them, or pass them on to the moderators now.
-- One that all groups dismissed is done, unless it has come to the moderators already. Who has
-- become an owner since answers no report about themselves.
--
-- KEYS     reports    reports.reports()
--          contents   reports.report_contents()
--          queues     reports.report_queue('')
-- ARGV     gid
--          by       uid of the owner
--          passes   1 to pass them on, '' to dismiss them
--          limit    REPORTS_MAX
--          ids...
-- RETURNS  how many waited for the group

-- Store that the group has answered, and return the content.
local function answered(id)
  local content, others = cjson.decode(redis.call('HGET', contents, id)), {}
  for _, other in ipairs(content.groups or {}) do
    if other ~= gid then others[#others + 1] = other end
  end
  content.groups = others
  store_content(contents, id, content)
  return content
end

local function is_about_them(id)
  local _, author = category_and_author(cjson.decode(redis.call('HGET', contents, id) or '{}'))
  return author == by
end

local count, now = 0, id_text(now_ms())
for _, id in ipairs(ids) do
  if not is_about_them(id) and redis.call('ZREM', queues .. 'group.' .. gid, id) == 1 then
    count = count + 1
    local content = answered(id)
    local category, author = category_and_author(content)
    local is_held = tonumber(redis.call('ZSCORE', reports, id) or 0) > tonumber(now)
    if is_held and passes ~= '' then
      local shown_at = free_score(reports, tonumber(now), -1)
      redis.call('ZADD', reports, shown_at, id)
      redis.call('ZADD', queues .. 'open.' .. category, shown_at, id)
      redis.call('ZADD', queues .. 'about.' .. author, shown_at, id)
    elseif is_held and not content.groups then
      close_report(reports, contents, queues, id, by, 'dismiss')
    end
  end
end
trim_reports(queues .. 'done', limit, 'done', contents, queues)
return count
