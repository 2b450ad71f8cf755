-- Return true if a member wants a notification about an action of `actor`. This is the one place
-- that decides it, in the partition of the recipient.
-- `preference` is a value of notifications/kinds.py; `relations` is a table of the recipient's keys
-- `following`, `blocks`, `blockers` and `muted_notifications`.
-- Notifications of one's own actions are chosen in notifications/projections.
local function is_wanted(recipient, actor, preference, relations)
  if preference == 'nobody' then return false end
  if actor == recipient then return true end
  if redis.call('ZSCORE', relations.blocks, actor) then return false end
  if redis.call('ZSCORE', relations.blockers, actor) then return false end
  local muted_until = tonumber(redis.call('ZSCORE', relations.muted_notifications, actor) or 0)
  if muted_until > now_us() / 1000000 then return false end
  return preference ~= 'followed' or redis.call('ZSCORE', relations.following, actor) ~= false
end
