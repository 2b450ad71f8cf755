-- End a poll whose time is over, once, and emit `poll_ended`.
--
-- KEYS     poll_deadlines  zset: status id -> unix ms
--          status
--          outbox          stream
-- ARGV     id
--          partition
--          outbox_max      events
--          request_id
-- RETURNS  1, or 0 if it runs on or has ended already
-- ERRORS   OVERLOADED
-- WRITES   poll_deadlines, outbox
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/emit.lua

local ends_at = redis.call('ZSCORE', poll_deadlines, id)
if not ends_at or tonumber(ends_at) > now_ms() then return 0 end
local refusal = behind(outbox, outbox_max)
if refusal then return refusal end

redis.call('ZREM', poll_deadlines, id)
local author, visibility = unpack(redis.call('HMGET', status, 'author', 'visibility'))
if not author then return 0 end
local event = {'type', 'poll_ended', 'rid', request_id, 'id', id, 'author', author}
if visibility then add(event, 'visibility', visibility) end
emit(outbox, partition, unpack(event))
return 1
