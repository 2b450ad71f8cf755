-- Purpose: make a member an owner, or take that back. The last owner stays one.
-- KEYS: 1 to 12 = store.names   ARGV: 1 = cid  2 = uid  3 = the member's uid  4 = 1 or 0
-- Returns: 1, or 0 when that is so already   Errors: NOCHAT, NOTINCHAT, ONLYOWNERS, NOMEMBER, LASTOWNER   Writes: owners
-- include chat/lua/includes/chat_context.lua
local cid, uid, other, on = unpack(ARGV)
local kind = field('kind')
if not kind or kind == 'direct' then return refuse('NOCHAT') end
if not belongs(uid) then return refuse('NOTINCHAT') end
if not owns(uid) then return refuse('ONLYOWNERS') end
if not belongs(other) then return refuse('NOMEMBER') end
if owns(other) == (on == '1') then return 0 end
if on ~= '1' and redis.call('SCARD', owners) == 1 then return refuse('LASTOWNER') end
redis.call(on == '1' and 'SADD' or 'SREM', owners, other)
nudge('c', cid)
return 1
