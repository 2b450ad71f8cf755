-- Read the members whom a member follows and who follow back, newest follow first.
--
-- KEYS     following   following.following(uid)
--          followers   following.followers(uid)
-- ARGV     bound   the upper bound of scores: '+inf' or '(score'
--          size    members wanted
--          limit   most follows to look through
-- RETURNS  {uids, the score below which the rest begins; '' at the end}
-- WRITES   nothing

local entries = redis.call('ZRANGE', following, bound, '-inf', 'BYSCORE', 'REV',
  'LIMIT', 0, limit, 'WITHSCORES')
local mutual = {}
for i = 1, #entries, 2 do
  if redis.call('ZSCORE', followers, entries[i]) then
    if #mutual == tonumber(size) then return {mutual, entries[i - 1]} end
    table.insert(mutual, entries[i])
  end
end
return {mutual, #entries == 2 * tonumber(limit) and entries[#entries] or ''}
