-- Suspend a member, or restore one. Nobody sees a suspended member, who is signed out everywhere;
-- nothing of theirs is lost. To restore an applicant is to accept them.
--
-- KEYS     member             accounts.user(uid)
--          email              accounts.email.email(uid)
-- ARGV     suspended   1 to suspend, 0 to restore
--          notice      to the address of an applicant, or ''
-- RETURNS  1, or 0 if nothing changes
-- ERRORS   NOMEMBER
-- EMITS    suspended, restored

if redis.call('HEXISTS', member, 'login') == 0 then refuse('NOMEMBER', uid) end
if redis.call('HEXISTS', member, 'suspended') == tonumber(suspended) then return 0 end
refuse_when_behind()

local event_type
if suspended == '1' then
  redis.call('HSET', member, 'suspended', id_text(now_ms()))
  redis.call('HINCRBY', member, 'epoch', 1)
  end_sessions_except('')
  event_type = 'suspended'
else
  if redis.call('HDEL', member, 'suspended', 'waiting') == 2 then
    queue_notice(notice, 'applied')
    redis.call('HDEL', email, 'applied', 'applied_language')
  end
  event_type = 'restored'
end
emit(event_type, 'uid', uid)
note_entry(suspended == '1' and 'act' or 'undo', 'what', 'suspend')
return 1
