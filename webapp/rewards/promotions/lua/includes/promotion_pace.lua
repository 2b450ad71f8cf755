-- Spread a budget over its time.

local HOUR = 3600000

-- Return '1' if a promotion may be shown again, else ''. By each moment it may have spent the share
-- of its budget for the time that has passed, and for one hour more.
local function pace(promotion, now)
  local state, from, till, budget, spent = unpack(redis.call('HMGET', promotion, 'state', 'from',
    'until', 'budget', 'spent'))
  if state ~= 'running' then return '' end
  local share = math.min(1, (now - from + HOUR) / (till - from))
  return tonumber(spent) < budget * 1000 * share and '1' or ''
end
