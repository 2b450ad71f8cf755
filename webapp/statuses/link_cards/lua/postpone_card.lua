-- Put a claimed status back, to be tried after a pause.
--
-- KEYS     due_cards   statuses.link_cards.due_cards(status_id)
-- ARGV     lease_expires   as claimed
--          delay           ms
-- RETURNS  1, or 0 if somebody else has claimed it, or an edit has queued it again

if not is_claimed(due_cards, status_id, lease_expires) then return 0 end
redis.call('ZADD', due_cards, id_text(now_ms() + tonumber(delay)), status_id)
return 1
