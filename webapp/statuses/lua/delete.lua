-- Delete a member's own status with its likes, versions, replies list and quotes list, and emit
-- `deleted`. Its pictures are to be removed.
--
-- KEYS     status
--          user               hash: the member
--          posts              zset: the member's own statuses
--          replies            zset: the member's replies to others
--          media              zset: the member's statuses with pictures
--          restricted_prefix  prefix of the member's restricted lists
--          home               zset: the member's home
--          pinned             zset: the member's pins
--          outbox             stream
--          uploads            zset: pictures that no status shows
--          poll_deadlines     zset
--          likers             zset: uids who like it
--          boosters           zset: uids who boost it
--          status_replies     zset: replies to it
--          thread             zset: paths below it
--          versions           list
--          votes              hash
--          quotes             zset: quotes of it
--          detached           zset: detached quotes
--          views              HyperLogLog of who saw it
-- ARGV     uid
--          id
--          partition
--          outbox_max         events
--          request_id
-- RETURNS  its media, JSON, or ''
-- ERRORS   NOSTATUS, NOTYOURS, OVERLOADED
-- WRITES   all but user and boosters
-- include core/events/lua/includes/emit.lua
-- include statuses/lua/includes/event_fields.lua
-- include statuses/visibility/lua/includes/require_own.lua
-- include statuses/visibility/lua/includes/restricted_lists.lua
-- include statuses/attachments/lua/includes/staged_pictures.lua

local author, reply_to, entities, pictures, visibility, mentioned = unpack(redis.call('HMGET',
  status, 'author', 'reply_to_uid', 'entities', 'media', 'visibility', 'mentioned'))
local refusal = require_own(uid, id, author, visibility, user) or behind(outbox, outbox_max)
if refusal then return refusal end

local event = {'type', 'deleted', 'rid', request_id, 'id', id, 'author', author}
add_status_fields(event, status, entities)
-- Pages of replies, of quotes and of those who boosted it show it too.
if redis.call('EXISTS', thread, boosters, quotes, detached) > 0 then add(event, 'referenced', 1) end

release_pictures(uploads, pictures)
redis.call('DEL', status)
redis.call('UNLINK', likers, status_replies, thread, versions, votes, quotes, detached, views)
redis.call('ZREM', poll_deadlines, id)
redis.call('ZREM', posts, id)
redis.call('ZREM', media, id)
redis.call('ZREM', pinned, id)
redis.call('ZREM', home, id .. ':' .. uid)
if reply_to then redis.call('ZREM', replies, id .. ':' .. reply_to) end
if is_restricted(visibility) then
  remove_from_restricted_lists(restricted_prefix, uid, id, reply_to, visibility, mentioned)
end
emit(outbox, partition, unpack(event))
return pictures or ''
