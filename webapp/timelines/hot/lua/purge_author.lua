-- Remove an author's statuses from the hot ones of the site and of every language.
--
-- KEYS     fences           hash: the newest token of each source
--          hot              zset: `id:author` -> score
--          languages        zset: language -> score
--          language_prefix  prefix of the hot statuses of each language
-- ARGV     source
--          token
--          author           uid
--          is_hidden        1, or 0 to leave them
-- RETURNS  1
-- ERRORS   LEASELOST
-- WRITES   all keys, and those of the prefix
-- include core/events/lua/includes/fence.lua
-- include following/lua/includes/purge_author_from_home.lua

local refusal = stale(fences, source, token)
if refusal then return refusal end
if is_hidden == '0' then return 1 end

purge_author_from_home(hot, author)
for _, language in ipairs(redis.call('ZRANGE', languages, 0, -1)) do
  local key = language_prefix .. language
  purge_author_from_home(key, author)
  if redis.call('EXISTS', key) == 0 then redis.call('ZREM', languages, language) end
end
return 1
