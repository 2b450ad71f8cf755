-- Remove some keys of a generation that nobody reads, or of a shard of another layout.
--
-- KEYS     generation   search.generation(shard, shards)
-- ARGV     number   of the generation; '' for all of them
--          cursor   of SCAN, '0' at the beginning
-- RETURNS  the next cursor, '0' at the end

local COUNT = 1000 -- keys of the server that one call looks at
local prefix = generation .. ':'
if number == '' then
  redis.call('DEL', generation)
else
  local current, building = unpack(redis.call('HMGET', generation, 'current', 'building'))
  if number == (current or '1') or number == building then return '0' end
  prefix = prefix .. number .. ':'
end
local next_cursor, keys =
  unpack(redis.call('SCAN', cursor, 'MATCH', prefix .. '*', 'COUNT', COUNT))
if #keys > 0 then redis.call('UNLINK', unpack(keys)) end
return next_cursor
