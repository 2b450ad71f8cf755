-- Purpose: say anew who may quote one's own status. No event: it shows on no page that is kept, and who quotes asks here.
-- KEYS: 1 = keys.status  2 = keys.user (the asking member's)
-- ARGV: 1 = uid  2 = id  3 = who, as in `quoting`, '' for everybody
-- Returns: 1   Errors: NOSTATUS, NOTYOURS, NOMEMBER, SUSPENDED   Writes: KEYS[1]
-- include accounts/lua/includes/require_active.lua
-- include statuses/visibility/lua/includes/restricted_lists.lua
local status, user = unpack(KEYS)
local uid, id, quoting = unpack(ARGV)
local author, vis = unpack(redis.call('HMGET', status, 'author', 'vis'))
if unknown(author, uid, vis, user) then return redis.error_reply('NOSTATUS ' .. id) end
if author ~= uid then return redis.error_reply('NOTYOURS ' .. id) end
local refusal = barred(user, uid)
if refusal then return refusal end
if quoting == '' then redis.call('HDEL', status, 'quoting') else redis.call('HSET', status, 'quoting', quoting) end
return 1
