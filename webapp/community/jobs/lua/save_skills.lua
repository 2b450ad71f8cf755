-- Save a member's skills, in place of those before, and whether authors of offers see them.
--
-- KEYS     candidate   community.jobs.candidate(uid)
--          all_shown   community.jobs.shown_candidates()
--          members     community.jobs.candidate_skills.prefix()
-- ARGV     skills      JSON; none: the member is forgotten
--          shown       1, or ''
--          limit       most members who show their skills
-- ERRORS   CANDIDATESFULL

local is_shown = shown ~= '' and skills ~= '[]'
if is_shown and redis.call('SISMEMBER', all_shown, uid) == 0
  and redis.call('SCARD', all_shown) >= tonumber(limit) then
  refuse('CANDIDATESFULL', limit)
end

local function index(verb, packed)
  for _, skill in ipairs(cjson.decode(packed)) do
    for level = 1, skill[2] do
      redis.call(verb, members .. skill[1] .. ':l' .. level, uid)
    end
  end
  redis.call(verb, all_shown, uid)
end

index('SREM', redis.call('HGET', candidate, 'skills') or '[]')
redis.call('DEL', candidate)
if skills ~= '[]' then redis.call('HSET', candidate, 'skills', skills, 'shown', shown) end
if is_shown then index('SADD', skills) end
return 1
