-- Change settings at once, and note who did. Refuse if one of them changed since it was read.
--
-- KEYS     settings   core.settings.settings()
--          version    core.settings.settings_version()
--          history    core.settings.settings_history()
-- ARGV     expected     version that the caller knows; '' to change whatever they are
--          by           username, '' for the command line
--          reason
--          history_max
--          changes...   name of a setting, then `=` and its value, or '' for the environment's
-- RETURNS  the version
-- ERRORS   SETTINGSMOVED

local known, given, moved = redis.call('GET', version) or '0', {}, nil
for index = 1, #changes, 2 do given[changes[index]] = true end
if expected ~= '' and expected ~= known then
  local since = math.min(tonumber(string.match(expected, '^%d+$') or 0), tonumber(known))
  local later = redis.call('XRANGE', history, id_text(math.floor(since / 1000)), '+')
  for _, entry in ipairs(later) do
    local _, name, _, at = unpack(entry[2])
    if given[name] and (tonumber(at) or 0) > since then refuse('SETTINGSMOVED', known) end
  end
end

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
    moved = moved or move_version(version)
    redis.call('XADD', history, 'MAXLEN', '~', history_max, '*', 'name', name, 'version', moved,
      'before', before, 'after', after, 'by', by, 'reason', reason)
  end
end
return moved or known
