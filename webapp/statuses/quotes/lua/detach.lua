-- Purpose: take a status out of a quote, as its author wishes, and tell the worker.
-- KEYS: 1 = keys.status  2 = keys.detached  3 = keys.outbox   (of the status)
-- ARGV: 1 = uid  2 = id  3 = the quote's id  4 = DETACHED_MAX  5 = partition  6 = OUTBOX_MAX  7 = rid
-- Returns: 1, or 0 when that is so already   Errors: NOSTATUS, NOTYOURS, DETACHEDFULL, OVERLOADED   Writes: KEYS 2 and 3
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/emit.lua
local status, detached, outbox = unpack(KEYS)
local uid, id, quote, most, partition, max, rid = unpack(ARGV)
local author = redis.call('HGET', status, 'author')
if not author then return redis.error_reply('NOSTATUS ' .. id) end
if author ~= uid then return redis.error_reply('NOTYOURS ' .. id) end
if redis.call('ZSCORE', detached, quote) then return 0 end
if redis.call('ZCARD', detached) >= tonumber(most) then return redis.error_reply('DETACHEDFULL ' .. most) end
local refusal = behind(outbox, max)
if refusal then return refusal end
redis.call('ZADD', detached, id_text(now_ms()), quote)
emit(outbox, partition, 'type', 'detached', 'rid', rid, 'author', uid, 'id', id, 'quote', quote)
return 1
