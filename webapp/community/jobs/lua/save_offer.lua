-- Save an offer of a member: a new one, or a changed one. A new one that equals another is that
-- one, so sending a form twice makes one offer.
--
-- KEYS     open       community.jobs.open_jobs()
--          own        community.jobs.own_jobs(uid)
--          unannounced   community.jobs.unannounced_jobs()
--          required   community.jobs.required_skills()
--          names      community.jobs.skill_names()
--          jobs       community.jobs.job.prefix()
--          skill_prefix   community.jobs.job_skills.prefix()
--          places     community.jobs.job_places.prefix()
-- ARGV     id         of the offer to change, or ''
--          title
--          text
--          place
--          place_words   folded, spaced
--          remote     1, or ''
--          skills     JSON
--          jobs_max   most open offers
--          own_max    most open offers of a member
-- RETURNS  its id
-- ERRORS   NOJOB, NOTYOURS, JOBSFULL, OWNJOBSFULL

local keys = {required = required, names = names, skills = skill_prefix, places = places}
if id ~= '' then
  local author, old_skills, old_place, old_remote =
    unpack(redis.call('HMGET', jobs .. id, 'uid', 'skills', 'place_key', 'remote'))
  if not author then refuse('NOJOB', id) end
  if author ~= uid then refuse('NOTYOURS', id) end
  index_offer(keys, 'SREM', id, old_skills, old_place, old_remote)
else
  local sent = table.concat({title, text, place, remote, skills}, '\0')
  for _, other in ipairs(redis.call('ZRANGE', own, 0, -1)) do
    local stored = redis.call('HMGET', jobs .. other, 'title', 'text', 'place', 'remote', 'skills')
    if table.concat(stored, '\0') == sent then return other end
  end
  if redis.call('ZCARD', own) >= tonumber(own_max) then refuse('OWNJOBSFULL', own_max) end
  if redis.call('ZCARD', open) >= tonumber(jobs_max) then refuse('JOBSFULL', jobs_max) end
  id = next_id(redis.call('ZRANGE', open, -1, -1)[1], now_ms(), 0)
  redis.call('ZADD', open, id, id)
  redis.call('ZADD', unannounced, id, id)
  redis.call('ZADD', own, id, id)
end
redis.call('HSET', jobs .. id, 'uid', uid, 'title', title, 'text', text, 'place', place,
  'place_key', place_words, 'remote', remote, 'skills', skills)
index_offer(keys, 'SADD', id, skills, place_words, remote)
return id
