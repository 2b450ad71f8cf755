-- Create the account of a claimed login. A claim over 30 s old is refused, so that nobody can
-- have taken it over.
--
-- KEYS     member     accounts.user(uid)
--          password   accounts.password(uid)
--          active     accounts.active_members(uid)
--          email      accounts.email.email(uid)
-- ARGV     login
--          name         the displayed name
--          hash         of the password
--          claimed_at   unix ms
--          bot_owner    uid of the bot's owner; '' for a person. A bot has no password
--          rights       '' for none
--          inviter      uid of who made their invitation; '' if nobody did
--          flagged      a word in the names that moderators want to see, or ''
--          steps?       1 to offer first steps on the member's home
--          waiting?     why they want to join: they are suspended until moderators accept them
--          applied?     the address that is written to then
--          applied_language?
-- RETURNS  when the member joined, unix ms
-- ERRORS   STALE
-- EMITS    joined

local CLAIM_MS = 30000
local now = now_ms()
if now - tonumber(claimed_at) > CLAIM_MS or redis.call('EXISTS', member) == 1 then
  refuse('STALE', 'the claim is too old')
end
refuse_when_behind()

redis.call('HSET', member, 'login', login, 'name', name, 'joined', id_text(now))
if bot_owner ~= '' then
  redis.call('HSET', member, 'bot', bot_owner)
else
  redis.call('SET', password, hash)
end
if steps then redis.call('HSET', member, 'first_steps', steps) end
if waiting then redis.call('HSET', member, 'waiting', waiting, 'suspended', id_text(now)) end
if applied then
  redis.call('HSET', email, 'applied', applied, 'applied_language', applied_language)
end
if rights ~= '' then redis.call('HSET', member, 'rights', rights) end
if inviter ~= '' then redis.call('HSET', member, 'invited_by', inviter) end
redis.call('ZADD', active, math.floor(now / 1000), uid)
local event = {'uid', uid}
if flagged ~= '' then add(event, 'flagged', flagged) end
emit('joined', unpack(event))
return id_text(now)
