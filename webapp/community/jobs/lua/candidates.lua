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
local uids = redis.call('SINTER', unpack(sets))
table.sort(uids, function(a, b) return tonumber(a) > tonumber(b) end)

local found, compared = {}, 0
for _, uid in ipairs(uids) do
  if tonumber(uid) < tonumber(below) then
    if #found == 2 * tonumber(size) or compared == tonumber(examined) then return {found, below} end
    below, compared = uid, compared + 1
    local skills = redis.call('HGET', candidates .. uid, 'skills')
    if count_lacking(needed, skills_by_name(skills)) == 0 then
      found[#found + 1] = uid
      found[#found + 1] = skills
    end
  end
end
return {found, ''}
