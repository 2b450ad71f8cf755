-- Read the settings if they are not of the version that the caller knows.
--
-- KEYS     settings   core.settings.settings()
--          version    core.settings.settings_version()
-- ARGV     known      version
-- RETURNS  nothing if it is the version; otherwise the version, and names and values

local current = redis.call('GET', version) or '0'
if current == known then return {} end
return {current, redis.call('HGETALL', settings)}
