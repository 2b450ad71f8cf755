-- Put a secret that is sealed anew in the place of the old one, unless it was changed meanwhile.
--
-- KEYS     entry   hash: the one that holds it
-- ARGV     field
--          old
--          new
-- RETURNS  1 if it was replaced, else 0

if redis.call('HGET', entry, field) ~= old then return 0 end
redis.call('HSET', entry, field, new)
return 1
