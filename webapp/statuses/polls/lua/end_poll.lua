-- Purpose: end a poll whose time is over, once, and tell the worker.
-- KEYS: 1 = keys.ending  2 = keys.status  3 = keys.outbox
-- ARGV: 1 = id  2 = partition  3 = OUTBOX_MAX  4 = rid
-- Returns: 1; 0 when it runs on, or has ended already   Errors: OVERLOADED   Writes: KEYS 1 and 3
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/emit.lua
local ending, status, outbox = unpack(KEYS)
local id, partition, max, rid = unpack(ARGV)
local ends = redis.call('ZSCORE', ending, id)
if not ends or tonumber(ends) > now_ms() then return 0 end
local refusal = behind(outbox, max)
if refusal then return refusal end
redis.call('ZREM', ending, id)
local author, vis = unpack(redis.call('HMGET', status, 'author', 'vis'))
if not author then return 0 end
local event = {'type', 'poll_ended', 'rid', rid, 'id', id, 'author', author}
if vis then add(event, 'vis', vis) end
emit(outbox, partition, unpack(event))
return 1
