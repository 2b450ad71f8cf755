-- Unpin a member's own status, and emit `unpinned`.
--
-- KEYS     pinned   statuses.edits.pinned_statuses(uid)
--          status   statuses.status(id)
-- RETURNS  1, or 0 if it was not pinned
-- EMITS    unpinned

if not redis.call('ZSCORE', pinned, id) then return 0 end
refuse_when_behind()

redis.call('ZREM', pinned, id)
redis.call('HDEL', status, 'pinned')
emit('unpinned', 'uid', uid, 'id', id)
return 1
