-- Versions of the settings.

-- Move the version on, so that every process reads the settings again. Return it.
local function move_version(version)
  local known = tonumber(redis.call('GET', version) or 0)
  local moved = id_text(math.max(now_us(), known + 1))
  redis.call('SET', version, moved)
  redis.call('PUBLISH', 'settings', moved)
  return moved
end
