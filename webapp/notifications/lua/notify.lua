-- Purpose: put a notification on a member's list, once; above NOTIFICATIONS_MAX the oldest goes. Open pages are told.
-- KEYS: 1 = keys.fences  2 = keys.user  3 = keys.notifications  4 = keys.unread  5 = keys.following  6 = keys.blocks
--       7 = keys.blockers  8 = keys.hushed  9 = keys.status of what it is about, where that is theirs   (of who is told)
-- ARGV: 1 = source  2 = token  3 = their uid  4 = kind  5 = the uid of who did it  6 = subject  7 = NOTIFICATIONS_MAX
-- Returns: 1; 0 when it is there already, or is none of theirs   Errors: LEASELOST   Writes: KEYS 1, 3 and 4
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/fence.lua
-- include notifications/lua/includes/is_wanted.lua
local fences, user, list, unread, following, blocks, blockers, hushed, status = unpack(KEYS)
local source, token, uid, kind, by, subject, most = unpack(ARGV)
local refusal = stale(fences, source, token)
if refusal then return refusal end
local member = redis.call('HMGET', user, 'login', 'notify:' .. kind)
if not member[1] or status and redis.call('HGET', status, 'author') ~= uid then return 0 end
local entry = kind .. ':' .. by .. ':' .. subject
if redis.call('ZSCORE', list, entry) then return 0 end
if not may_notify(uid, by, member[2], following, blocks, blockers, hushed) then return 0 end
local newest = redis.call('ZRANGE', list, -1, -1, 'WITHSCORES')
redis.call('ZADD', list, id_text(math.max(now_us(), tonumber(newest[2] or 0) + 1)), entry)
redis.call('SADD', unread, entry)
local spare = redis.call('ZCARD', list) - tonumber(most)
for _ = 1, spare do redis.call('SREM', unread, redis.call('ZPOPMIN', list)[1]) end
redis.call('PUBLISH', 'chat', 'b ' .. uid)
return 1
