-- Give a status its link card, or take it away, and emit `card_changed`. It is no longer queued.
--
-- KEYS     due_cards   statuses.link_cards.due_cards(status_id)
--          status      statuses.status(status_id)
-- ARGV     lease_expires   as claimed
--          version         the version that was read: unix ms of its edit, '' for the first
--          card            JSON, '' for none
-- RETURNS  1, or 0 if nothing changes: it is gone, edited, claimed by others, or has the card
-- EMITS    card_changed

if not is_claimed(due_cards, status_id, lease_expires) then return 0 end
local author, visibility, edited, current =
  unpack(redis.call('HMGET', status, 'author', 'visibility', 'edited', 'card'))
if author and (edited or '') ~= version then return 0 end
local is_new = author and (current or '') ~= card
if is_new then refuse_when_behind() end

redis.call('ZREM', due_cards, status_id)
if not is_new then return 0 end
store_field(status, 'card', card)
local event = {'id', status_id, 'author', author}
if visibility then add(event, 'visibility', visibility) end
emit('card_changed', unpack(event))
return 1
