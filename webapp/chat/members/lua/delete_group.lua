-- Purpose: delete a group, as an owner.
-- KEYS: 1 to 12 = store.names   ARGV: 1 = cid  2 = partition  3 = uid  4 = OUTBOX_MAX  5 = rid
-- Returns: 1   Errors: NOCHAT, NOTINCHAT, ONLYOWNERS, OVERLOADED   Writes: all keys
-- include chat/members/lua/includes/remove_member_or_chat.lua
local cid, partition, uid, max, rid = unpack(ARGV)
local kind = field('kind')
if not kind or kind == 'direct' then return refuse('NOCHAT') end
if not belongs(uid) then return refuse('NOTINCHAT') end
if not owns(uid) then return refuse('ONLYOWNERS') end
local refusal = behind(outbox, max)
if refusal then return refusal end
wipe(cid, partition, table.concat(redis.call('ZRANGE', members, 0, -1), ' '), rid)
return 1
