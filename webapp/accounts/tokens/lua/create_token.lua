-- Create an access token of a member, under the sha of its secret. It may end by itself.
--
-- KEYS     token              accounts.tokens.token(uid, sha)
--          tokens             accounts.tokens.tokens(uid)
--          prefix             accounts.tokens.token(uid, '')
--          session            accounts.session(uid, session_sha)
-- ARGV     name
--          limit           config.tokens_max   most tokens of one member, without those of apps
--          check_session   1 to require that the session has not ended
--          lifetime        seconds until it ends, '' for a token without an end
--          agent?          `Device.note`
-- ERRORS   NOMEMBER, SUSPENDED, CHANGED, TOKENSFULL
-- WRITES   token, tokens

require_active()
if check_session == '1' and redis.call('EXISTS', session) == 0 then
  refuse('CHANGED', 'the session has ended')
end
local own = 0
for _, id in ipairs(redis.call('ZRANGE', tokens, 0, -1)) do -- bounded by the limits
  if redis.call('EXISTS', prefix .. id) == 0 then
    redis.call('ZREM', tokens, id) -- has ended
  elseif redis.call('HEXISTS', prefix .. id, 'app') == 0 then
    own = own + 1
  end
end
if own >= tonumber(limit) then
  refuse('TOKENSFULL', limit)
end

local now = math.floor(now_ms() / 1000)
redis.call('HSET', token, 'uid', uid, 'name', name, 'created', now)
if lifetime ~= '' then
  redis.call('HSET', token, 'ends', now + tonumber(lifetime))
  redis.call('EXPIRE', token, lifetime)
end
redis.call('ZADD', tokens, now_us() / 1000000, sha)
note('token', agent)
return 1
