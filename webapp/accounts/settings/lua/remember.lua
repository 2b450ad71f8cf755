-- Remember choices of a member that nobody else is shown. No event.
--
-- KEYS     member   accounts.user(uid)
-- ARGV     fields...   names and values in turn; '' as the value removes the field
-- ERRORS   NOMEMBER, SUSPENDED

local refusal = require_active()
if refusal then return refusal end
for i = 1, #fields, 2 do
  if fields[i + 1] == '' then
    redis.call('HDEL', member, fields[i])
  else
    redis.call('HSET', member, fields[i], fields[i + 1])
  end
end
return 1
