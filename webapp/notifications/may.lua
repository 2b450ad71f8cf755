-- Purpose: whether a member is told of what another did. The one place that decides it, in the partition of who is told.
local function may_notify(uid, by, choice, following, blocks, blockers)
  if by == uid or choice == 'nobody' then return false end
  if redis.call('ZSCORE', blocks, by) or redis.call('ZSCORE', blockers, by) then return false end
  return choice ~= 'followed' or redis.call('ZSCORE', following, by) ~= false
end
