-- Find members who show their skills and have all that an offer needs, the newest members first.
--
-- KEYS     job          community.jobs.job(id)
--          members      community.jobs.candidate_skills.prefix()
--          candidates   community.jobs.candidate.prefix()
-- ARGV     below        only uids below this one
--          size         most members
--          examined     most members to compare
-- RETURNS  uid and skills (JSON) of each, one after the other; the uid below which to go on, or ''
-- WRITES   nothing

local packed = redis.call('HGET', job, 'skills')
if not packed then return {{}, ''} end
local needed, sets = cjson.decode(packed), {}
for index, skill in ipairs(needed) do sets[index] = members .. skill[1] .. ':l' .. skill[2] end
local found, uids = {}, numbers_below(redis.call('SINTER', unpack(sets)), below)
for at, number in ipairs(uids) do
  if #found == 2 * tonumber(size) or at > tonumber(examined) then return {found, below} end
  below = id_text(number)
  local skills = redis.call('HGET', candidates .. below, 'skills')
  if count_lacking(needed, skills_by_name(skills)) == 0 then
    found[#found + 1] = below
    found[#found + 1] = skills
  end
end
return {found, ''}
