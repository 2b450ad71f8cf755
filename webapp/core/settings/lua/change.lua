-- Change settings at once, and note who did. Refuse if they changed since they were read.
--
-- KEYS     settings   core.settings.settings()
--          version    core.settings.settings_version()
--          history    core.settings.settings_history()
-- ARGV     expected     version that the caller knows; '' to change whatever it is
--          by           username, '' for the command line
--          reason
--          history_max
--          changes...   name of a setting, then `=` and its value, or '' for the environment's
-- RETURNS  the version
-- ERRORS   SETTINGSMOVED

local known = redis.call('GET', version) or '0'
if expected ~= '' and expected ~= known then refuse('SETTINGSMOVED', known) end

local count = 0
for index = 1, #changes, 2 do
  local name, after = changes[index], changes[index + 1]
  local stored = redis.call('HGET', settings, name)
  local before = stored and '=' .. stored or ''
  if before ~= after then
    if after == '' then
      redis.call('HDEL', settings, name)
    else
      redis.call('HSET', settings, name, string.sub(after, 2))
    end
    redis.call('XADD', history, 'MAXLEN', '~', history_max, '*', 'name', name, 'before', before,
      'after', after, 'by', by, 'reason', reason)
    count = count + 1
  end
end
if count == 0 then return known end

return move_version(version)
