-- Put words of a member under one rank of the index of names, and take them out of all others.
--
-- KEYS     fences     core.events.fences(tag)
--          ranks...   zsets: `word uid` -> 0, the lowest rank first
-- ARGV     rank         where they belong, from 0; -1 for nowhere
--          entries...
-- WRITES   ranks
-- FENCED

for index, key in ipairs(ranks) do
  for _, entry in ipairs(entries) do
    if index == rank + 1 then
      redis.call('ZADD', key, 0, entry)
    else
      redis.call('ZREM', key, entry)
    end
  end
end
return 1
