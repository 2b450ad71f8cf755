-- Put a hashtag under one rank of the index of hashtags, and take it out of all others.
--
-- KEYS     ranks...   zsets: name -> 0, the lowest rank first
-- ARGV     rank   where it belongs, from 0; -1 for nowhere
--          name

for index, key in ipairs(ranks) do
  if index == rank + 1 then
    redis.call('ZADD', key, 0, name)
  else
    redis.call('ZREM', key, name)
  end
end
return 1
