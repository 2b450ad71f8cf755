-- Events that a group has not applied.

-- Return the id of the first event that a group has not applied.
local function first_unapplied(group)
  local pending = redis.call('XPENDING', outbox, group['name'])
  local count, oldest = pending[1], pending[2]
  if count > 0 then return oldest end
  return next_after(group['last-delivered-id'])
end
