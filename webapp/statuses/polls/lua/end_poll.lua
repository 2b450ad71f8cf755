-- End a poll whose time is over, once, and emit `poll_ended`.
--
-- KEYS     poll_deadlines   statuses.polls.poll_deadlines(partition)
--          status           statuses.status(id)
-- RETURNS  1, or 0 if it runs on or has ended already
-- WRITES   poll_deadlines
-- EMITS    poll_ended

local ends_at = redis.call('ZSCORE', poll_deadlines, id)
if not ends_at or tonumber(ends_at) > now_ms() then return 0 end
refuse_when_behind()

redis.call('ZREM', poll_deadlines, id)
local author, visibility, group =
  unpack(redis.call('HMGET', status, 'author', 'visibility', 'group'))
if not author then return 0 end
local event = {'id', id, 'author', author}
if visibility then add(event, 'visibility', visibility) end
if group then add(event, 'group', group) end
emit('poll_ended', unpack(event))
return 1
