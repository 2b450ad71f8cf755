-- What acts on members change, and how they are taken back.
-- include core/store/lua/includes/ids.lua
-- include accounts/sessions/lua/includes/end_sessions.lua

-- Each function returns false if nothing would change. `on`: false takes the act back.
local member_effects = {}

function member_effects.warn(on, data)
  if not on then
    if redis.call('HGET', data.member, 'warned') == data.number then
      redis.call('HDEL', data.member, 'warned')
    end
    return true
  end
  return redis.call('HSETNX', data.member, 'warned', data.number) == 1
end

function member_effects.limit(on, data)
  local changed = on and redis.call('HSETNX', data.member, 'limited', 1)
    or not on and redis.call('HDEL', data.member, 'limited')
  if changed == 1 then emit(on and 'limited' or 'unlimited', 'uid', data.uid) end
  return changed == 1
end

function member_effects.suspend(on, data)
  if (redis.call('HEXISTS', data.member, 'suspended') == 1) == on then return false end
  if on then
    redis.call('HSET', data.member, 'suspended', id_text(data.now))
    redis.call('HINCRBY', data.member, 'epoch', 1)
    end_sessions_except('', data.member_sessions, data.sessions, data.session_prefix)
    redis.call('ZADD', data.ends, id_text(data.now + data.kept_ms), data.uid)
  else
    redis.call('HDEL', data.member, 'suspended')
    redis.call('ZREM', data.ends, data.uid)
  end
  emit(on and 'suspended' or 'restored', 'uid', data.uid)
  return true
end
