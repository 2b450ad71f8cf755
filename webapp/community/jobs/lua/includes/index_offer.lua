-- Add an offer to the indexes, or remove it from them.
-- include community/jobs/lua/includes/met_levels.lua

-- `keys`: required, names, and the prefixes skills and places. `verb`: SADD or SREM.
-- `skills`: JSON. `place`: its words, spaced. Older versions indexed it as a whole.
local function index_offer(keys, verb, id, skills, place, remote)
  local needed = cjson.decode(skills)
  for _, skill in ipairs(needed) do
    for level = skill[2], LEVEL_MAX do
      redis.call(verb, keys.skills .. skill[1] .. ':l' .. level, id)
    end
    redis.call('ZINCRBY', keys.names, verb == 'SADD' and 1 or -1, skill[1])
  end
  redis.call('ZREMRANGEBYSCORE', keys.names, '-inf', 0)
  redis.call('SREM', keys.places .. place, id)
  for word in string.gmatch(place, '%S+') do redis.call(verb, keys.places .. word, id) end
  if remote ~= '' then redis.call(verb, keys.places .. 'remote', id) end
  redis.call('ZREM', keys.required, id)
  if verb == 'SADD' then redis.call('ZADD', keys.required, #needed, id) end
end
