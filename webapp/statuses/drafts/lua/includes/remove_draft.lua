-- Purpose: take a draft away, wherever it is listed.
local function forget_draft(draft, drafts, later, uid, form)
  redis.call('ZREM', later, uid .. ':' .. form)
  redis.call('ZREM', drafts, form)
  return redis.call('UNLINK', draft)
end
