-- Save a member's private note about another. An empty text removes it.
--
-- KEYS     notes   following.notes(uid)
-- ARGV     target   whom it is about
--          text
--          limit    most notes of one member
-- ERRORS   NOMEMBER, SUSPENDED, NOTESFULL

require_active()
if text == '' then
  redis.call('HDEL', notes, target)
  return 1
end
local is_new = redis.call('HEXISTS', notes, target) == 0
if is_new and redis.call('HLEN', notes) >= tonumber(limit) then refuse('NOTESFULL', limit) end
redis.call('HSET', notes, target, text)
return 1
