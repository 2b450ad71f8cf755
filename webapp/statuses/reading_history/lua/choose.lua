-- Keep the posts that a member opens from now on, cease to, or forget those that were kept.
--
-- KEYS     member     accounts.user(uid)
--          viewed   statuses.reading_history.viewed(uid)
-- ARGV     choice   on, off or clear
-- RETURNS  1 if it changed something, or 0
-- ERRORS   NOMEMBER, SUSPENDED

require_active()
local is_kept = redis.call('HEXISTS', member, 'viewed_since') == 1
if is_kept == (choice == 'on') then return 0 end
redis.call('UNLINK', viewed)
if choice == 'off' then
  redis.call('HDEL', member, 'viewed_since')
else
  redis.call('HSET', member, 'viewed_since', id_text(now_ms()))
end
return 1
