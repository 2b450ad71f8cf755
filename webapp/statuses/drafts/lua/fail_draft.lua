-- Record why a scheduled draft could not be posted, and emit `unposted`. It is not tried again
-- until it is saved again. A worker that comes late changes nothing that was decided since.
--
-- KEYS     draft       statuses.drafts.draft(uid, form_key)
--          scheduled   statuses.drafts.scheduled_posts(uid)
-- ARGV     saved      when the draft that was tried was saved
--          reason     code of the error
--          term       the word that holds it for review, or ''
-- RETURNS  1, or 0 if the draft is gone, is not due, or was saved or reviewed meanwhile
-- EMITS    unposted

local current, due, reviewed = unpack(redis.call('HMGET', draft, 'saved', 'due', 'reviewed'))
if not current then redis.call('ZREM', scheduled, uid .. ':' .. form_key) end
if current ~= saved or not due or term ~= '' and reviewed then return 0 end
refuse_when_behind()
redis.call('ZREM', scheduled, uid .. ':' .. form_key)
redis.call('HDEL', draft, 'due')
redis.call('HSET', draft, 'failed', reason)
local event = {'uid', uid, 'draft', form_key, 'saved', saved}
if term ~= '' then add(event, 'flagged', term) end
if tonumber(due) > tonumber(saved) + 1000 then add(event, 'scheduled', 1) end
emit('unposted', unpack(event))
return 1
