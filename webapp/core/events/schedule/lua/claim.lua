-- Claim the scheduled row that is due for longest, if one is. It is due again after its time. Rows
-- that nobody computed for an hour are removed: they belong to what is switched off or gone.
--
-- KEYS     scheduled   core.events.scheduled_rows()
--          runs        core.events.scheduled_runs()
-- ARGV     rows...     for each its name, and every how many ms it is computed
-- RETURNS  {name, when it is due next}, or nil if none is due

local GONE_MS = 3600000
local now, first, first_due, every = now_ms(), nil, nil, nil
for at = 1, #rows, 2 do
  local due = tonumber(redis.call('ZSCORE', scheduled, rows[at]) or 0)
  if due <= now and (not first or due < first_due) then
    first, first_due, every = rows[at], due, tonumber(rows[at + 1])
  end
end
if not first then return false end
local next_due = id_text(now + every)
redis.call('ZADD', scheduled, next_due, first)
for _, name in ipairs(redis.call('ZRANGE', scheduled, '-inf', now - GONE_MS, 'BYSCORE')) do
  redis.call('ZREM', scheduled, name)
  redis.call('HDEL', runs, name)
end
return {first, next_due}
