-- Record why a scheduled draft could not be posted, and emit `unposted`. It is not tried again
-- until it is saved again.
--
-- KEYS     draft       statuses.drafts.draft(uid, form_key)
--          scheduled   statuses.drafts.scheduled_posts(uid)
-- ARGV     saved      when the draft that was tried was saved
--          reason     code of the error
--          term       the word that holds it for review, or ''
-- RETURNS  1, or 0 if the draft is gone or was saved again meanwhile
-- EMITS    unposted

local current = redis.call('HGET', draft, 'saved')
if current and current ~= saved then return 0 end
if not current then
  redis.call('ZREM', scheduled, uid .. ':' .. form_key)
  return 0
end
refuse_when_behind()
redis.call('ZREM', scheduled, uid .. ':' .. form_key)
redis.call('HDEL', draft, 'due')
redis.call('HSET', draft, 'failed', reason)
local event = {'uid', uid, 'draft', form_key, 'saved', saved}
if term ~= '' then add(event, 'flagged', term) end
emit('unposted', unpack(event))
return 1
