-- Note that a scheduled row was computed, unless it was removed or claimed again meanwhile.
--
-- KEYS     scheduled   core.events.scheduled_rows()
--          runs        core.events.scheduled_runs()
-- ARGV     name
--          due    when it is due next, as it was claimed
--          took   ms
-- RETURNS  1, or 0 if it was not noted
-- WRITES   runs

if redis.call('ZSCORE', scheduled, name) ~= due then return 0 end
redis.call('HSET', runs, name, id_text(now_ms()) .. ' ' .. took)
return 1
