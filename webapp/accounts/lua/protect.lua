-- Protect a member, so that only followers they accept see their statuses, or end that.
--
-- KEYS     member   accounts.user(uid)
-- ARGV     protected   1 to protect, 0 to make public
-- RETURNS  1, or 0 if nothing changes
-- ERRORS   NOMEMBER, SUSPENDED
-- EMITS    protected, unprotected

require_active()
if redis.call('HEXISTS', member, 'protected') == tonumber(protected) then return 0 end
refuse_when_behind()

local event_type
if protected == '1' then
  redis.call('HSET', member, 'protected', 1)
  event_type = 'protected'
else
  redis.call('HDEL', member, 'protected')
  event_type = 'unprotected'
end
emit(event_type, 'uid', uid)
return 1
