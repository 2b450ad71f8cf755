-- Return `number` as the score of a new entry of `list`, or one more than the newest entry's if
-- that is higher: no two entries share a score, so pages can be cut between any two.
-- include core/store/lua/includes/ids.lua

local function next_score(list, number)
  local newest = redis.call('ZRANGE', list, -1, -1, 'WITHSCORES')
  return id_text(math.max(number, tonumber(newest[2] or 0) + 1))
end
