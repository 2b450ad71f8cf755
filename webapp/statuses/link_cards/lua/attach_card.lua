-- Give a status its link card, or take it away, and emit `card_changed`. It is no longer queued.
--
-- KEYS     due_cards       zset: status id -> unix ms
--          status
--          outbox          stream
-- ARGV     status_id
--          lease_expires   as claimed
--          version         the version that was read: unix ms of its edit, '' for the first
--          card            JSON, '' for none
--          partition
--          outbox_max      events
--          request_id
-- RETURNS  1, or 0 if nothing changes: it is gone, edited, claimed by others, or has the card
-- ERRORS   OVERLOADED
-- WRITES   all keys
-- include core/events/lua/includes/emit.lua
-- include statuses/link_cards/lua/includes/claim.lua

if not is_claimed(due_cards, status_id, lease_expires) then return 0 end
local author, visibility, edited, current =
  unpack(redis.call('HMGET', status, 'author', 'visibility', 'edited', 'card'))
if author and (edited or '') ~= version then return 0 end
local is_new = author and (current or '') ~= card
local refusal = is_new and behind(outbox, outbox_max)
if refusal then return refusal end

redis.call('ZREM', due_cards, status_id)
if not is_new then return 0 end
if card == '' then
  redis.call('HDEL', status, 'card')
else
  redis.call('HSET', status, 'card', card)
end
local event = {'type', 'card_changed', 'rid', request_id, 'id', status_id, 'author', author}
if visibility then add(event, 'visibility', visibility) end
emit(outbox, partition, unpack(event))
return 1
