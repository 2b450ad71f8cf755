-- Remove an author's statuses from the hot ones of the site and of every language.
--
-- KEYS     hot               timelines.hot.hot_statuses()
--          languages         timelines.hot.hot_languages()
--          language_prefix   timelines.hot.hot_in_language('')
-- ARGV     author      uid
--          is_hidden   1, or 0 to leave them
-- FENCED

if is_hidden == '0' then return 1 end

purge_author_from_home(hot, author)
for _, language in ipairs(redis.call('ZRANGE', languages, 0, -1)) do
  local key = language_prefix .. language
  purge_author_from_home(key, author)
  if redis.call('EXISTS', key) == 0 then redis.call('ZREM', languages, language) end
end
return 1
