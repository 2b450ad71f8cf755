-- Remove a draft and its places in `drafts` and `scheduled`. Return 1, or 0 if there was none.
local function remove_draft(draft, drafts, scheduled, uid, form_key)
  redis.call('ZREM', scheduled, uid .. ':' .. form_key)
  redis.call('ZREM', drafts, form_key)
  return redis.call('UNLINK', draft)
end
