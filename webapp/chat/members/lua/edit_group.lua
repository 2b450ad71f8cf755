-- Purpose: change what a group is called, looks like and keeps, as an owner.
-- KEYS: 1 to 12 = store.names   ARGV: 1 = cid  2 = partition  3 = uid  4 = OUTBOX_MAX  5 = rid; then fields and their values
-- Returns: 1   Errors: NOCHAT, NOTINCHAT, ONLYOWNERS, OVERLOADED   Writes: chat; messages that all have fetched; outbox
-- include chat/lua/includes/trim_history.lua
local cid, partition, uid, max, rid = unpack(ARGV, 1, 5)
local kind, picture = field('kind'), field('picture') or ''
if not kind or kind == 'direct' then return refuse('NOCHAT') end
if not belongs(uid) then return refuse('NOTINCHAT') end
if not owns(uid) then return refuse('ONLYOWNERS') end
local refusal = behind(outbox, max)
if refusal then return refusal end
redis.call('HSET', chat, unpack(ARGV, 6))
if picture ~= '' and picture ~= field('picture') then sweep(cid, partition, {picture}) end
collect(cid, partition)
nudge('c', cid)
return 1
