-- Change a member's password and end their sessions except one, whose member has just proved the
-- old one. Perhaps revoke the member's tokens, apps and private feed, and let the
-- worker revoke their bots'.
--
-- ARGV     old_hash       '' to ask for none
--          new_hash
--          keep_session   sha of the session that stays, or ''
--          revoke         1 to revoke tokens, apps and the private feed
--          agent     `Device.note`
--          expires?  unix seconds: the new one opens nothing from then on, and must be replaced
-- RETURNS  how many sessions ended
-- ERRORS   NOMEMBER, ISBOT, CHANGED
-- EMITS    tokens_revoked, signed_out

local login, bot_owner = unpack(redis.call('HMGET', member, 'login', 'bot'))
if not login then refuse('NOMEMBER', uid) end
if bot_owner then refuse('ISBOT', uid) end
if old_hash ~= '' and redis.call('GET', password) ~= old_hash then
  refuse('CHANGED', 'the password was changed')
end
refuse_when_behind()

note('password', agent)
local ended = replace_password(new_hash, keep_session, revoke == '1')
if expires then redis.call('HSET', member, 'password_until', expires) end
if keep_session ~= '' and redis.call('EXISTS', session_prefix .. keep_session) == 1 then
  redis.call('HSET', session_prefix .. keep_session, 'proved', math.floor(now_ms() / 1000))
  redis.call('HDEL', session_prefix .. keep_session, 'must_change')
end
return ended
