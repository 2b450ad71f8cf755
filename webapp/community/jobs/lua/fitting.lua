-- Find open offers of which a member lacks a number of skills, newest first.
-- Each set of a skill and level adds 1 to the offers whose need it meets. The rest of the number
-- that they need is lacking. Years are compared afterwards.
--
-- KEYS     candidate   community.jobs.candidate(uid)
--          required    community.jobs.required_skills()
--          met         community.jobs.found_jobs('met')
--          found       community.jobs.found_jobs('found')
--          skills      community.jobs.job_skills.prefix()
--          jobs        community.jobs.job.prefix()
-- ARGV     lacking     0 or 1
--          below       only ids below this one
--          size        most ids
--          examined    most offers to compare
-- RETURNS  ids, and the id below which to go on, or ''
-- WRITES   met, found

local owned, sets = skills_by_name(redis.call('HGET', candidate, 'skills')), {}
for name, skill in pairs(owned) do sets[#sets + 1] = skills .. name .. ':l' .. skill[2] end
if #sets == 0 then return {{}, ''} end
redis.call('ZUNIONSTORE', met, #sets, unpack(sets))
redis.call('ZINTERSTORE', found, 2, met, required, 'WEIGHTS', -1, 1)
local near = redis.call('ZRANGE', found, '-inf', lacking, 'BYSCORE')
redis.call('DEL', met, found)

local ids = {}
for at, number in ipairs(numbers_below(near, below)) do
  if #ids == tonumber(size) or at > tonumber(examined) then return {ids, below} end
  below = id_text(number)
  local needed = cjson.decode(redis.call('HGET', jobs .. below, 'skills'))
  if count_lacking(needed, owned) == tonumber(lacking) then ids[#ids + 1] = below end
end
return {ids, ''}
