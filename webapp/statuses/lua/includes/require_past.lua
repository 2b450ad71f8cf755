-- Ids of other partitions.
-- include core/store/lua/includes/ids.lua

-- Return an error if the status `id` is not older than one made now: replies and boosts must be
-- newer than what they show. Clocks of servers may differ by a minute.
local function require_past(id)
  local newest = next_id(false, now_ms() + 60000, 0)
  if tonumber(id) > tonumber(newest) then return redis.error_reply('EARLY ' .. id) end
end
