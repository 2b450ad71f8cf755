-- Add a batch of figures and log lines of a process, once, and note that the process lives.
--
-- KEYS     processes   core.metrics.processes()
--          process     core.metrics.process(host, pid)
--          metric      core.metrics.metric.prefix()
--          timing      core.metrics.timing.prefix()
--          slow        core.metrics.slow.prefix()
--          recent      core.metrics.log_recent.prefix()
--          common      core.metrics.log_common.prefix()
--          hot_keys    core.metrics.hot_keys.prefix()
--          visitors    core.metrics.visitors.prefix()
--          salt        core.metrics.visitor_salt.prefix()
--          countries   core.metrics.countries.prefix()
--          active      core.metrics.active_members.prefix()
-- ARGV     number    of the batch
--          batch     JSON: `process`, `samples` (how, name, number), `timings`, `lines`,
--                    `visitors` (by country), `signups` (country and number),
--                    `active` (uids), `keys`
--          new_salt  random, for a period that has none
-- RETURNS  1, or 0 if the batch was added before

local PROCESS_SECONDS = 3600

local time, id = redis.call('TIME'), host .. ':' .. pid
local seconds = tonumber(time[1])
local is_new = redis.call('HGET', process, 'batch') ~= number
local content = cjson.decode(batch)
for field, value in pairs(content.process) do redis.call('HSET', process, field, value) end
redis.call('HSET', process, 'batch', number)
redis.call('EXPIRE', process, PROCESS_SECONDS)
redis.call('ZADD', processes, seconds * 1000 + math.floor(time[2] / 1000), id)
redis.call('ZREMRANGEBYSCORE', processes, '-inf', (seconds - PROCESS_SECONDS) * 1000)
if not is_new then return 0 end
for _, sample in ipairs(content.samples) do
  add_sample(metric .. sample[2] .. ':', sample[1], sample[3], seconds)
end
for route, found in pairs(content.timings) do add_timing(timing, slow, route, found, seconds) end
for _, line in ipairs(content.lines) do
  add_line(recent .. line[1], common .. line[1], line, seconds)
end
if next(content.keys) then add_keys(hot_keys, content.keys, seconds) end
for country, people in pairs(content.visitors) do
  add_visitors(visitors, salt, countries, country, people, new_salt, seconds)
end
add_active(active, content.active, seconds)
for country, count in pairs(content.signups) do
  add_country(countries, 'signups', country, count, seconds)
end
return 1
