-- What acts on posts change, and how they are taken back.
--
-- KEYS     status_prefix   statuses.status.prefix(uid)

-- Emit the event of a changed post, so that pages show it anew.
local function emit_edited(status, post, uid)
  local event, entities = {'id', post, 'author', uid}, redis.call('HGET', status, 'entities')
  add_status_fields(event, status, entities)
  add_mentions(event, '', entities)
  emit('edited', unpack(event))
end

-- Each function returns false if nothing would change. `on`: false takes the act back.
local post_effects = {}

-- The value 2 says that moderators cover the pictures: their author's edits leave it. 3 says that
-- their author covers them too.
function post_effects.cover(on, data)
  local author, covered = unpack(redis.call('HMGET', data.status, 'author', 'sensitive'))
  if author ~= uid or on == (covered == '2' or covered == '3') then return false end
  local before = covered == '3' and 1 or ''
  store_field(data.status, 'sensitive', on and (covered and 3 or 2) or before)
  emit_edited(data.status, data.post, uid)
  return true
end

-- The post is deleted after this. The mark keeps a second moderator from removing it too.
function post_effects.remove(on, data)
  return redis.call('HGET', data.status, 'author') == uid
    and redis.call('HSETNX', data.status, 'removing', 1) == 1
end
