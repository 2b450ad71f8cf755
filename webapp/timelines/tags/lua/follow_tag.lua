-- Follow a hashtag, and emit the change for open streams. Doing it again changes nothing.
--
-- KEYS     tags     timelines.followed_tags(uid)
--          member   accounts.user(uid)
-- ARGV     uid
--          name
--          limit   most followed hashtags
-- RETURNS  1 if followed now, 0 if it was already
-- ERRORS   NOMEMBER, SUSPENDED, TAGSFULL, OVERLOADED
-- WRITES   tags
-- EMITS    tags_changed
-- include core/store/lua/includes/ids.lua
-- include accounts/lua/includes/require_active.lua

local refusal = require_active(member, uid)
if refusal then return refusal end
if redis.call('ZSCORE', tags, name) then return 0 end
if redis.call('ZCARD', tags) >= tonumber(limit) then
  return redis.error_reply('TAGSFULL ' .. limit)
end
refusal = behind()
if refusal then return refusal end

local newest = redis.call('ZRANGE', tags, -1, -1, 'WITHSCORES')
redis.call('ZADD', tags, id_text(math.max(now_ms(), tonumber(newest[2] or 0) + 1)), name)
emit('tags_changed', 'uid', uid)
return 1
