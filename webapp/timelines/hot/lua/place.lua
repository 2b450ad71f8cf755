-- Place a status among the hot ones of the site and of its language, or remove it.
--
-- KEYS     fences           hash: the newest token of each source
--          hot              zset: `id:author` -> score
--          languages        zset: language -> score
--          language_prefix  prefix of the hot statuses of each language
-- ARGV     source
--          token
--          entry            `id:author`
--          score            '' to remove it
--          language         '' if not known
--          limit            most statuses of the site
--          group_limit      most statuses of a language
-- RETURNS  1
-- ERRORS   LEASELOST
-- WRITES   all keys, and those of the prefix
-- include core/events/lua/includes/fence.lua

local refusal = stale(fences, source, token)
if refusal then return refusal end

local function place(key, most)
  redis.call('ZADD', key, score, entry)
  redis.call('ZREMRANGEBYRANK', key, 0, -(tonumber(most) + 1))
end

local is_hot = score ~= ''
if is_hot then place(hot, limit) else redis.call('ZREM', hot, entry) end
for _, other in ipairs(redis.call('ZRANGE', languages, 0, -1)) do
  local key = language_prefix .. other
  if not (is_hot and other == language) and redis.call('ZREM', key, entry) == 1
    and redis.call('EXISTS', key) == 0 then
    redis.call('ZREM', languages, other)
  end
end
if is_hot and language ~= '' then
  place(language_prefix .. language, group_limit)
  redis.call('ZADD', languages, score, language)
end
return 1
