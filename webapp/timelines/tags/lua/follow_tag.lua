-- Purpose: follow a hashtag, and tell the worker, so that open streams bring it. The scores of one list are unique.
-- KEYS: 1 = keys.followed_tags  2 = keys.user  3 = keys.outbox   (of the same member)
-- ARGV: 1 = uid  2 = name  3 = FOLLOWED_TAGS_MAX  4 = partition  5 = OUTBOX_MAX  6 = rid
-- Returns: 1, or 0 when that is so already   Errors: NOMEMBER, SUSPENDED, TAGSFULL, OVERLOADED   Writes: KEYS 1 and 3
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/emit.lua
-- include accounts/lua/includes/require_active.lua
local tags, user, outbox = unpack(KEYS)
local uid, name, most, partition, max, rid = unpack(ARGV)
local refusal = barred(user, uid)
if refusal then return refusal end
if redis.call('ZSCORE', tags, name) then return 0 end
if redis.call('ZCARD', tags) >= tonumber(most) then return redis.error_reply('TAGSFULL ' .. most) end
refusal = behind(outbox, max)
if refusal then return refusal end
local newest = redis.call('ZRANGE', tags, -1, -1, 'WITHSCORES')
redis.call('ZADD', tags, id_text(math.max(now_ms(), tonumber(newest[2] or 0) + 1)), name)
emit(outbox, partition, 'type', 'retagged', 'rid', rid, 'uid', uid)
return 1
