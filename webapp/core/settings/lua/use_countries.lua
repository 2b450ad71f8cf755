-- Use a table of countries in every process, and let the one before go.
--
-- KEYS     current   core.settings.country_table_id()
--          prefix    core.settings.country_table('')
--          version   core.settings.settings_version()
-- ARGV     id        '' for none
-- RETURNS  1, or 0 if there is no such table

local KEPT_SECONDS = 3600 -- for processes that read it now

if id ~= '' and redis.call('PERSIST', prefix .. id) == 0 then return 0 end
local before = redis.call('GET', current)
if before then redis.call('EXPIRE', prefix .. before, KEPT_SECONDS) end
if id == '' then redis.call('DEL', current) else redis.call('SET', current, id) end
move_version(version)
return 1
