-- Save a draft, or schedule it. The same form key is the same draft. Pictures that the draft showed
-- before, and shows no longer, are to be removed.
--
-- KEYS     draft       statuses.drafts.draft(uid, form_key)
--          drafts      statuses.drafts.drafts(uid)
--          scheduled   statuses.drafts.scheduled_posts(uid)
--          uploads     statuses.attachments.uploads(uid)
-- ARGV     fields     of the form, JSON
--          media      its pictures, JSON, or ''
--          due        unix ms, or '' for none
--          limit      config.drafts_max   most drafts of one member
--          replaces   1, or '': one that is not autosaved stays as it is
--          expected?  when the draft was saved that it replaces: nothing else may be there
-- RETURNS  1, or 0 if another post stays
-- ERRORS   NOMEMBER, SUSPENDED, NODRAFT, DRAFTSFULL, NOUPLOAD

if replaces == '' and not is_autosaved(draft) then
  return redis.call('HGET', draft, 'fields') == fields and 1 or 0
end
if expected ~= '' and redis.call('HGET', draft, 'saved') ~= expected then
  refuse('NODRAFT', form_key)
end
local media_before = redis.call('HGET', draft, 'media')
require_active()
require_staged(uploads, media, media_before)
local is_new = not redis.call('ZSCORE', drafts, form_key)
if is_new and redis.call('ZCARD', drafts) >= tonumber(limit) then refuse('DRAFTSFULL', limit) end

local saved = next_score(drafts)
redis.call('DEL', draft)
redis.call('HSET', draft, 'fields', fields, 'saved', saved)
if media ~= '' then redis.call('HSET', draft, 'media', media) end
release_pictures(uploads, media_before)
claim_pictures(uploads, media)
redis.call('ZADD', drafts, saved, form_key)
if due == '' then
  redis.call('ZREM', scheduled, uid .. ':' .. form_key)
else
  redis.call('HSET', draft, 'due', due)
  redis.call('ZADD', scheduled, due, uid .. ':' .. form_key)
end
return 1
