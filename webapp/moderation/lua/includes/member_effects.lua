-- What acts on members change, and how they are taken back.
--
-- KEYS     member   accounts.user(uid)
--          ends     moderation.ending_suspensions(uid)

-- Each function returns false if nothing would change. `on`: false takes the act back.
local member_effects = {}

function member_effects.warn(on, data)
  if not on then
    if redis.call('HGET', member, 'warned') == data.number then
      redis.call('HDEL', member, 'warned')
    end
    return true
  end
  return redis.call('HSETNX', member, 'warned', data.number) == 1
end

function member_effects.limit(on, data)
  local changed = on and redis.call('HSETNX', member, 'limited', 1)
    or not on and redis.call('HDEL', member, 'limited')
  if changed == 1 then emit(on and 'limited' or 'unlimited', 'uid', uid) end
  return changed == 1
end

function member_effects.suspend(on, data)
  if (redis.call('HEXISTS', member, 'suspended') == 1) == on then return false end
  if on then
    redis.call('HSET', member, 'suspended', id_text(data.now), 'suspended_act', data.number)
    redis.call('HINCRBY', member, 'epoch', 1)
    end_sessions_except('')
    redis.call('ZADD', ends, id_text(data.now + data.kept_ms), uid)
  else
    local act = redis.call('HGET', member, 'suspended_act')
    if act and act ~= data.number then return false end -- a later act, which stands
    redis.call('HDEL', member, 'suspended', 'suspended_act')
    redis.call('ZREM', ends, uid)
  end
  emit(on and 'suspended' or 'restored', 'uid', uid)
  return true
end
