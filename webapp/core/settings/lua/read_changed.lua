-- Read the settings, the bans and the id of the table of countries, if they are not of the version
-- that the caller knows.
--
-- KEYS     settings    core.settings.settings()
--          version     core.settings.settings_version()
--          bans        core.settings.bans()
--          countries   core.settings.country_table_id()
-- ARGV     known       version
-- RETURNS  nothing if it is the version; otherwise the version; names and values; bans; the id
--          of the table, '' for none
-- WRITES   nothing

local current = redis.call('GET', version) or '0'
if current == known then return {} end
return {
  current, redis.call('HGETALL', settings), redis.call('HGETALL', bans),
  redis.call('GET', countries) or '',
}
