-- Close an offer.
--
-- KEYS     open       community.jobs.open_jobs()
--          unannounced   community.jobs.unannounced_jobs()
--          required   community.jobs.required_skills()
--          names      community.jobs.skill_names()
--          own        community.jobs.own_jobs.prefix()
--          jobs       community.jobs.job.prefix()
--          skill_prefix   community.jobs.job_skills.prefix()
--          places     community.jobs.job_places.prefix()
-- ARGV     id
--          uid?       of the member who closes it; left out: it has ended, or its author is gone
-- ERRORS   NOJOB, NOTYOURS

local author, skills, place, remote =
  unpack(redis.call('HMGET', jobs .. id, 'uid', 'skills', 'place_key', 'remote'))
if not author then refuse('NOJOB', id) end
if uid and author ~= uid then refuse('NOTYOURS', id) end

local keys = {required = required, names = names, skills = skill_prefix, places = places}
index_offer(keys, 'SREM', id, skills, place, remote)
redis.call('ZREM', own .. author, id)
redis.call('ZREM', open, id)
redis.call('ZREM', unannounced, id)
redis.call('DEL', jobs .. id)
return 1
