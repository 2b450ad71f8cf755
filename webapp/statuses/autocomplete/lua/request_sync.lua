-- Ask the worker to sync members with the index of names.
--
-- KEYS     outbox       stream
--          prefix       of the hashes of members
-- ARGV     partition
--          outbox_max   events that may wait; '' for any number
--          request_id
--          event_type   rank_changed, or reindex_requested for their hashtags too
--          uids...
-- RETURNS  how many of them have an account
-- ERRORS   OVERLOADED
-- WRITES   outbox
-- include core/events/lua/includes/emit.lua

local refusal = outbox_max ~= '' and behind(outbox, outbox_max)
if refusal then return refusal end
local count = 0
for _, uid in ipairs(uids) do
  if redis.call('HEXISTS', prefix .. uid, 'login') == 1 then
    emit(outbox, partition, 'type', event_type, 'rid', request_id, 'uid', uid)
    count = count + 1
  end
end
return count
