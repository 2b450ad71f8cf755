-- Return true if this claim of a status still holds.
local function is_claimed(due_cards, status_id, lease_expires)
  return tonumber(redis.call('ZSCORE', due_cards, status_id)) == tonumber(lease_expires)
end
