-- Read the generation that was being built from now on. The one before waits to be removed.
--
-- KEYS     generation   search.generation(shard, shards)
-- ARGV     building   the number of the generation
-- RETURNS  the number of the former generation
-- ERRORS   REBUILDENDED

if redis.call('HGET', generation, 'building') ~= building then
  refuse('REBUILDENDED', 'another rebuild has begun')
end
local former = redis.call('HGET', generation, 'current') or '1'
redis.call('HSET', generation, 'current', building, 'former', former)
redis.call('HDEL', generation, 'building')
return former
