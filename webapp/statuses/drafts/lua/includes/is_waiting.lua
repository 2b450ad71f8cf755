-- Drafts that wait for their time, or for moderators.

local function is_waiting(draft)
  local due, failed = unpack(redis.call('HMGET', draft, 'due', 'failed'))
  return due or failed == 'in_review'
end
