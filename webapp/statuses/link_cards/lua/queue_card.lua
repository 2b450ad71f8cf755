-- Queue a status for its link card. Queueing it again makes it due now.
--
-- KEYS     due_cards   statuses.link_cards.due_cards(status_id)
-- ARGV     waiting_max   CARDS_WAITING_MAX
-- RETURNS  1 if it is queued, 0 if too many wait
-- FENCED

local is_new = not redis.call('ZSCORE', due_cards, status_id)
if is_new and redis.call('ZCARD', due_cards) >= tonumber(waiting_max) then return 0 end
redis.call('ZADD', due_cards, 'LT', id_text(now_ms()), status_id)
return 1
