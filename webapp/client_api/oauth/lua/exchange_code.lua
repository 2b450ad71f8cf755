-- Exchange a code for a token. At a limit, the app's oldest token of this member ends with its
-- pushes. A code that comes again may be stolen: the token of its first use ends.
--
-- KEYS     code                 client_api.oauth.oauth_code(uid, code_sha)
--          token                accounts.tokens.token(uid, sha)
--          tokens               accounts.tokens.tokens(uid)
--          token_prefix         accounts.tokens.token(uid, '')
--          push_devices         notifications.push.push_devices(uid)
--          push_device_prefix   notifications.push.push_device.prefix(uid)
--          due_pushes           notifications.push.due_pushes(uid)
-- ARGV     sha         of the new token
--          app         its client id
--          redirect
--          challenge   of the verifier that the app sent, "" for none
--          limit       most tokens of apps that one member has
--          devices     most of them of one app
-- RETURNS  the scopes and the time in unix seconds, or false if the code is not valid
-- ERRORS   NOMEMBER, SUSPENDED, APPSFULL
-- WRITES   code, token, tokens, token_prefix, push_devices, push_device_prefix, due_pushes
-- EMITS    signed_out

local function end_token(old)
  redis.call('DEL', token_prefix .. old)
  remove_device(push_devices, push_device_prefix, due_pushes, uid, old)
  if redis.call('ZREM', tokens, old) == 0 then return false end
  if not is_behind() then emit('signed_out', 'uid', uid) end
  return true
end

require_active_or_waiting()
local granted, name, to, scopes, expected, epoch =
  unpack(redis.call('HMGET', code, 'app', 'name', 'redirect', 'scopes', 'challenge', 'epoch'))
if granted ~= app then return false end
local used = redis.call('HGET', code, 'used')
if used then
  if end_token(used) then note('revoked', '') end
  return false
end
if to ~= redirect or expected ~= challenge then return false end
if epoch ~= (redis.call('HGET', member, 'epoch') or '0') then return false end
local oldest, count, of_app = nil, 0, 0
for _, id in ipairs(redis.call('ZRANGE', tokens, 0, -1)) do -- bounded by the limits
  local owner = redis.call('HGET', token_prefix .. id, 'app')
  if owner then count = count + 1 end
  if owner == app then
    of_app = of_app + 1
    oldest = oldest or id
  end
end
local is_full = count >= tonumber(limit)
if of_app >= tonumber(devices) or oldest and is_full then
  end_token(oldest)
elseif is_full then
  refuse('APPSFULL', limit)
end
local now = math.floor(now_ms() / 1000)
redis.call('HSET', code, 'used', sha)
redis.call('HSET', token, 'uid', uid, 'name', name, 'created', now, 'app', app, 'scopes', scopes)
redis.call('ZADD', tokens, now_us() / 1000000, sha)
return {scopes, now}
