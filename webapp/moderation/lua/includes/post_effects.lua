-- What acts on posts change, and how they are taken back.
--
-- KEYS     status_prefix   statuses.status.prefix(uid)

-- Emit the event of a changed post, so that pages show it anew.
local function emit_edited(status, post, uid)
  local event = {'id', post, 'author', uid}
  add_status_fields(event, status, redis.call('HGET', status, 'entities'))
  emit('edited', unpack(event))
end

-- Each function returns false if nothing would change. `on`: false takes the act back.
local post_effects = {}

-- The value 2 says that moderators cover the pictures: their author's edits leave it.
function post_effects.cover(on, data)
  local author, covered = unpack(redis.call('HMGET', data.status, 'author', 'sensitive'))
  if author ~= uid or on and covered == '2' or not on and covered ~= '2' then return false end
  if on then redis.call('HSET', data.status, 'sensitive', 2)
  else redis.call('HDEL', data.status, 'sensitive') end
  emit_edited(data.status, data.post, uid)
  return true
end

-- The post is deleted after this. The mark keeps a second moderator from removing it too.
function post_effects.remove(on, data)
  return redis.call('HGET', data.status, 'author') == uid
    and redis.call('HSETNX', data.status, 'removing', 1) == 1
end
