-- Queue a status for its link card. Queueing it again makes it due now.
--
-- KEYS     fences       hash: source -> token
--          due_cards    zset: status id -> unix ms
-- ARGV     source
--          token
--          status_id
--          waiting_max  CARDS_WAITING_MAX
-- RETURNS  1 if it is queued, 0 if too many wait
-- ERRORS   LEASELOST
-- WRITES   all keys
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/fence.lua

local refusal = stale(fences, source, token)
if refusal then return refusal end

local is_new = not redis.call('ZSCORE', due_cards, status_id)
if is_new and redis.call('ZCARD', due_cards) >= tonumber(waiting_max) then return 0 end
redis.call('ZADD', due_cards, 'LT', id_text(now_ms()), status_id)
return 1
