-- Replace a forgotten password with the help of a recovery code, which is used up. A member with
-- two-step login needs a code of the app too. All sessions end; tokens, apps and the private feed
-- are revoked. Nothing is written about a wrong recovery code.
--
-- KEYS     authenticator      accounts.factors.authenticator(uid)
--          recovery_codes     accounts.factors.recovery_codes(uid)
-- ARGV     hash       of the recovery code
--          step       whose code of the app it is, '' for a wrong one or none
--          budget     'known' or 'new': whose tries are counted
--          new_hash   of the new password
--          agent?   `Device.note`
-- RETURNS  {'right', epoch}, or {'wrong', ''}, {'wait', ''} for too many tries in these 30 s
-- ERRORS   NOMEMBER, SUSPENDED
-- EMITS    tokens_revoked, signed_out

if redis.call('SISMEMBER', recovery_codes, hash) == 0 then return { 'wrong', '' } end
require_active()
refuse_when_behind()
if redis.call('HEXISTS', member, 'second_step') == 1 then
  local result = use_app_code(authenticator, step, budget)
  if result ~= 'right' then return { result == 'wait' and result or 'wrong', '' } end
end

redis.call('SREM', recovery_codes, hash)
redis.call('HSET', member, 'recovered', math.floor(now_ms() / 1000))
note('recovered', agent)
replace_password(new_hash, '', true)
return { 'right', redis.call('HGET', member, 'epoch') }
