-- Find the newest open offers, of those that need a skill or are at a place.
--
-- KEYS     open     community.jobs.open_jobs()
--          found    community.jobs.found_jobs('found')
--          there    community.jobs.found_jobs('there')
--          remote   community.jobs.job_places('remote')
--          skill    community.jobs.job_skills(skill_key, 'l3')
--          place    community.jobs.job_places(place_key)
-- ARGV     has_skill   1, or ''
--          has_place   1, or '': with offers that are done remotely
--          bound       as of ZRANGE
--          size
-- RETURNS  ids, newest first
-- WRITES   found, there

local sets, weights = {open}, {'WEIGHTS', 1}
local function narrow(set)
  sets[#sets + 1] = set
  weights[#weights + 1] = 0
end
if has_skill ~= '' then narrow(skill) end
if has_place ~= '' then
  redis.call('SUNIONSTORE', there, remote, place)
  narrow(there)
end
local source, count = open, #sets
if count > 1 then
  source = found
  for _, weight in ipairs(weights) do sets[#sets + 1] = weight end
  redis.call('ZINTERSTORE', found, count, unpack(sets))
end
local ids = redis.call('ZRANGE', source, bound, '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, size)
redis.call('DEL', found, there)
return ids
