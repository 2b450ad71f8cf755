-- Add, replace or remove a ban, and note that for the log. Refuse if any changed meanwhile.
-- Bans that have ended go.
--
-- KEYS     bans       core.settings.bans()
--          unlogged   core.settings.unlogged_bans()
--          version    core.settings.settings_version()
-- ARGV     expected   version that the caller knows; '' to change whatever it is
--          name       kind and value
--          ban        JSON, '' to remove it
--          entry      of the log, JSON
--          limit      BANS_MAX
-- RETURNS  the version
-- ERRORS   SETTINGSMOVED, BANSFULL

local known = redis.call('GET', version) or '0'
if expected ~= '' and expected ~= known then refuse('SETTINGSMOVED', known) end
local stored = redis.call('HGETALL', bans)
for index = 1, #stored, 2 do
  local ends = cjson.decode(stored[index + 1])['until'] or 0
  if ends > 0 and ends <= now_ms() then redis.call('HDEL', bans, stored[index]) end
end
local before = redis.call('HGET', bans, name)
if ban == '' then
  if not before then return known end
  redis.call('HDEL', bans, name)
else
  if not before and redis.call('HLEN', bans) >= tonumber(limit) then refuse('BANSFULL', limit) end
  redis.call('HSET', bans, name, ban)
end
local moved = move_version(version)
redis.call('HSET', unlogged, moved, entry)
return moved
