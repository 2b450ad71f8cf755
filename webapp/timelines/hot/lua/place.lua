-- Place statuses among the hot ones of the site and of their languages, or remove them.
--
-- KEYS     hot               timelines.hot.hot_statuses()
--          languages         timelines.hot.hot_languages()
--          language_prefix   timelines.hot.hot_in_language('')
-- ARGV     limit         most statuses of the site
--          group_limit   most statuses of a language
--          places...     of each `id:author`, score ('' to remove it), language ('': unknown)
-- FENCED

local function place(key, score, entry) redis.call('ZADD', key, score, entry) end

local listed = redis.call('ZRANGE', languages, 0, -1)
local grown = {}
for index = 1, #places, 3 do
  local entry, score, language = places[index], places[index + 1], places[index + 2]
  local is_hot = score ~= ''
  if is_hot then place(hot, score, entry) else redis.call('ZREM', hot, entry) end
  for _, other in ipairs(listed) do
    local key = language_prefix .. other
    if not (is_hot and other == language) and redis.call('ZREM', key, entry) == 1
      and redis.call('EXISTS', key) == 0 then
      redis.call('ZREM', languages, other)
    end
  end
  if is_hot and language ~= '' then
    place(language_prefix .. language, score, entry)
    if redis.call('ZADD', languages, score, language) == 1 then listed[#listed + 1] = language end
    grown[language] = true
  end
end
redis.call('ZREMRANGEBYRANK', hot, 0, -(tonumber(limit) + 1))
for language in pairs(grown) do
  redis.call('ZREMRANGEBYRANK', language_prefix .. language, 0, -(tonumber(group_limit) + 1))
end
return 1
