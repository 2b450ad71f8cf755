-- Purpose: say anew who may quote one's own status. No event: it shows on no page that is kept, and who quotes asks here.
-- KEYS: 1 = keys.status  2 = keys.user   (of its author)
-- ARGV: 1 = uid  2 = id  3 = who, as in `quoting`, '' for everybody
-- Returns: 1   Errors: NOSTATUS, NOTYOURS, NOMEMBER, SUSPENDED   Writes: KEYS[1]
-- include statuses/limited.lua
local status, user = unpack(KEYS)
local uid, id, quoting = unpack(ARGV)
local author, vis = unpack(redis.call('HMGET', status, 'author', 'vis'))
if unknown(author, uid, vis) then return redis.error_reply('NOSTATUS ' .. id) end
if author ~= uid then return redis.error_reply('NOTYOURS ' .. id) end
local member = redis.call('HMGET', user, 'login', 'suspended')
if not member[1] then return redis.error_reply('NOMEMBER ' .. uid) end
if member[2] then return redis.error_reply('SUSPENDED ' .. uid) end
if quoting == '' then redis.call('HDEL', status, 'quoting') else redis.call('HSET', status, 'quoting', quoting) end
return 1
