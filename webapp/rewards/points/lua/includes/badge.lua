-- The badge on a member's profile: the highest that the longest streak won, unless it is hidden.

-- Bring it up to date. Return true if it changed. `badges`: days, the fewest first.
local function show_badge(user, check_in, badges)
  local longest, hidden = unpack(redis.call('HMGET', check_in, 'longest', 'badge_hidden'))
  local badge = ''
  for _, days in ipairs(badges) do
    if hidden ~= '1' and tonumber(longest or 0) >= tonumber(days) then badge = days end
  end
  if (redis.call('HGET', user, 'streak_badge') or '') == badge then return false end
  store_field(user, 'streak_badge', badge)
  return true
end
