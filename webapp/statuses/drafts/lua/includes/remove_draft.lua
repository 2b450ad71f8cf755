-- Removing drafts.

-- Remove a draft and its places in `drafts` and `scheduled`. Its pictures are to be removed.
-- Return its media, '' if it has no pictures, or nothing if there was no draft.
local function remove_draft(draft, drafts, scheduled, uploads, uid, form_key)
  local saved, media = unpack(redis.call('HMGET', draft, 'saved', 'media'))
  if not saved then return end
  release_pictures(uploads, media)
  redis.call('ZREM', scheduled, uid .. ':' .. form_key)
  redis.call('ZREM', drafts, form_key)
  redis.call('UNLINK', draft)
  return media or ''
end
