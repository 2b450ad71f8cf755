-- Purpose: whether a member is told of what another did. The one place that decides it, in the partition of who is told.
-- Include after core/store/lua/includes/ids.lua.
-- Of what one did oneself projections.py chooses what is told at all.
local function may_notify(uid, by, choice, following, blocks, blockers, hushed)
  if choice == 'nobody' or by == uid then return choice ~= 'nobody' end
  if redis.call('ZSCORE', blocks, by) or redis.call('ZSCORE', blockers, by) then return false end
  if tonumber(redis.call('ZSCORE', hushed, by) or 0) > now_us() / 1000000 then return false end
  return choice ~= 'followed' or redis.call('ZSCORE', following, by) ~= false
end
