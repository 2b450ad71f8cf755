-- Protect a member, so that only followers they accept see their statuses, or end that.
--
-- KEYS     member      hash
--          outbox      stream
-- ARGV     uid
--          protected   1 to protect, 0 to make public
--          partition
--          outbox_max
--          request_id
-- RETURNS  1, or 0 if nothing changes
-- ERRORS   NOMEMBER, SUSPENDED, OVERLOADED
-- WRITES   member, outbox
-- include core/events/lua/includes/emit.lua
-- include accounts/lua/includes/require_active.lua

local refusal = require_active(member, uid)
if refusal then return refusal end
if redis.call('HEXISTS', member, 'protected') == tonumber(protected) then return 0 end
refusal = behind(outbox, outbox_max)
if refusal then return refusal end

local event_type
if protected == '1' then
  redis.call('HSET', member, 'protected', 1)
  event_type = 'protected'
else
  redis.call('HDEL', member, 'protected')
  event_type = 'unprotected'
end
emit(outbox, partition, 'type', event_type, 'rid', request_id, 'uid', uid)
return 1
