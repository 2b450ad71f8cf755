-- Return a version of a list of follows: a follow adds a newer score, an unfollow changes the
-- count.
local function follows_version(following)
  local newest = redis.call('ZRANGE', following, -1, -1, 'WITHSCORES')
  return redis.call('ZCARD', following) .. ':' .. (newest[2] or '')
end
