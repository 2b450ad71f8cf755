-- Create an app of a member, with its access token and the sealed secrets of both.
--
-- KEYS     app                accounts.tokens.app(uid, id)
--          apps               accounts.tokens.apps(uid)
--          session            accounts.session(uid, session_sha)
-- ARGV     name
--          token            its access token
--          sealed_secrets
--          limit            config.apps_max   most apps of one member
--          check_session    1 to require that the session has not ended
--          agent?   `Device.note`
-- ERRORS   NOMEMBER, SUSPENDED, CHANGED, APPSFULL
-- WRITES   app, apps

require_active()
if check_session == '1' and redis.call('EXISTS', session) == 0 then
  refuse('CHANGED', 'the session has ended')
end
if redis.call('ZCARD', apps) >= tonumber(limit) then refuse('APPSFULL', limit) end

local now = math.floor(now_ms() / 1000)
redis.call('HSET', app, 'name', name, 'token', token, 'secrets', sealed_secrets, 'created', now)
redis.call('ZADD', apps, now_us() / 1000000, id)
note('app', agent)
return 1
