-- Purpose: tell whether a list of follows has changed: following adds a newer score, unfollowing changes the count.
local function version(following)
  local newest = redis.call('ZRANGE', following, -1, -1, 'WITHSCORES')
  return redis.call('ZCARD', following) .. ':' .. (newest[2] or '')
end
