-- Drafts that are saved while they are written. Others stay as they are until their author saves,
-- posts or deletes them: they wait for their time or for moderators, or moderators withheld them.

local function is_autosaved(draft)
  local due, failed = unpack(redis.call('HMGET', draft, 'due', 'failed'))
  return not (due or failed == 'in_review' or failed == 'withheld')
end
