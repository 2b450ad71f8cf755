-- Find the newest open offers, of those that need a skill or are at a place.
--
-- KEYS     open     community.jobs.open_jobs()
--          found    community.jobs.found_jobs('found')
--          there    community.jobs.found_jobs('there')
--          remote   community.jobs.job_places('remote')
--          skill    community.jobs.job_skills(skill_key, 'l3')
--          whole    community.jobs.job_places(place_key)
--          places   community.jobs.job_places.prefix()
-- ARGV     skill_key   folded, or '' for any
--          place_key   the same; with offers that are done remotely
--          place_words   the same, spaced
--          bound       as of ZRANGE
--          size
-- RETURNS  ids, newest first
-- WRITES   found, there

local sets, source = {open}, open
if skill_key ~= '' then sets[2] = skill end
if place_key ~= '' then
  redis.call('SUNIONSTORE', there, remote, whole)
  local words = {}
  for word in string.gmatch(place_words, '%S+') do words[#words + 1] = places .. word end
  if #words > 0 then
    redis.call('SINTERSTORE', found, unpack(words))
    redis.call('SUNIONSTORE', there, there, found)
  end
  sets[#sets + 1] = there
end
if #sets > 1 then
  source = found
  local count = #sets
  sets[count + 1], sets[count + 2] = 'AGGREGATE', 'MAX' -- the id: in plain sets all have 1
  redis.call('ZINTERSTORE', found, count, unpack(sets))
end
local ids = redis.call('ZRANGE', source, bound, '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, size)
redis.call('DEL', found, there)
return ids
