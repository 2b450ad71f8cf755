-- Purpose: show a status in a quote again that its author took it out of, and tell the worker.
-- KEYS: 1 = keys.status  2 = keys.detached  3 = keys.outbox   (of the status)
-- ARGV: 1 = uid  2 = id  3 = the quote's id  4 = partition  5 = OUTBOX_MAX  6 = rid
-- Returns: 1, or 0 when that is so already   Errors: NOSTATUS, NOTYOURS, OVERLOADED   Writes: KEYS 2 and 3
-- include core/events/lua/includes/emit.lua
local status, detached, outbox = unpack(KEYS)
local uid, id, quote, partition, max, rid = unpack(ARGV)
local author = redis.call('HGET', status, 'author')
if not author then return redis.error_reply('NOSTATUS ' .. id) end
if author ~= uid then return redis.error_reply('NOTYOURS ' .. id) end
if not redis.call('ZSCORE', detached, quote) then return 0 end
local refusal = behind(outbox, max)
if refusal then return refusal end
redis.call('ZREM', detached, quote)
emit(outbox, partition, 'type', 'reattached', 'rid', rid, 'author', uid, 'id', id, 'quote', quote)
return 1
