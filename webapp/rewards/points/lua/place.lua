-- Bring a member's places on the boards of a shard up to date.
--
-- KEYS     this   rewards.points.board(uid, week)
--          last   rewards.points.board(uid, last_week)
--          all    rewards.points.board(uid, 'all')
-- ARGV     this_score   '' to take the member off
--          last_score
--          all_score
--          limit        most members of a shard's board
-- FENCED

local FIFTEEN_DAYS = 15 * 86400
local function place(board, score)
  if score == '' then return redis.call('ZREM', board, uid) end
  redis.call('ZADD', board, score, uid)
  redis.call('ZREMRANGEBYRANK', board, 0, -tonumber(limit) - 1)
end

place(this, this_score)
place(last, last_score)
place(all, all_score)
for _, board in ipairs({this, last}) do
  if redis.call('TTL', board) == -1 then redis.call('EXPIRE', board, FIFTEEN_DAYS) end
end
return 1
