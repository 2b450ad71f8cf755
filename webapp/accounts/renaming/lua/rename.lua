-- Give a member another login, which they have claimed. A claim over 30 s old is refused, so that
-- nobody can have taken it over.
--
-- KEYS     member             accounts.user(uid)
-- ARGV     login
--          claimed_at   unix ms
--          pause        ms between two changes
--          flagged      a word in it that moderators want to see, or ''
--          agent        `Device.note`
-- ERRORS   NOMEMBER, SUSPENDED, STALE, RENAMED
-- EMITS    profile_edited

local CLAIM_MS = 30000
local now = now_ms()
local former, renamed = unpack(redis.call('HMGET', member, 'login', 'renamed'))
require_active()
if now - tonumber(claimed_at) > CLAIM_MS then refuse('STALE', 'the claim is old') end
if now < tonumber(renamed or 0) + tonumber(pause) then refuse('RENAMED') end
refuse_when_behind()

redis.call('HSET', member, 'login', login, 'former_login', former, 'renamed', id_text(now))
note('renamed', agent)
local event = {'uid', uid, 'former', former, 'search_changed', 1}
if flagged ~= '' then add(event, 'flagged', flagged) end
emit('profile_edited', unpack(event))
return 1
