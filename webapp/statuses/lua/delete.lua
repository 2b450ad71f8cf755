-- Purpose: delete one's own status with its likes, its versions and what is known of its replies and quotes, and tell the
--   worker; its pictures are to go.
-- KEYS: 1 = keys.status  2 = keys.profile  3 = keys.home  4 = keys.replied (these three the asking member's)  5 = keys.outbox
--       6 = keys.likes  7 = keys.replies  8 = keys.thread  9 = keys.versions  10 = keys.pinned  11 = keys.uploads
--       12 = keys.limited_prefix (the asking member's)  13 = keys.boosters  14 = keys.votes  15 = keys.ending  16 = keys.quotes
--       17 = keys.detached  18 = keys.user (the asking member's)
-- ARGV: 1 = uid  2 = id  3 = partition  4 = OUTBOX_MAX  5 = rid
-- Returns: its media, JSON, or ''   Errors: NOSTATUS, NOTYOURS, OVERLOADED   Writes: KEYS 1 to 12 and 14 to 17
-- include core/events/lua/includes/emit.lua
-- include statuses/lua/includes/event_mentions.lua
-- include statuses/lua/includes/event_fields.lua
-- include statuses/visibility/lua/includes/restricted_lists.lua
-- include statuses/attachments/lua/includes/staged_pictures.lua
local status, profile, home, replied, outbox, likes, replies, thread, versions, pinned, uploads, limited = unpack(KEYS, 1, 12)
local boosters, votes, ending, quotes, detached, user = unpack(KEYS, 13)
local uid, id, partition, max, rid = unpack(ARGV)
local author, to, entities, media, vis, who =
  unpack(redis.call('HMGET', status, 'author', 'to', 'entities', 'media', 'vis', 'who'))
if unknown(author, uid, vis, user) then return redis.error_reply('NOSTATUS ' .. id) end
if author ~= uid then return redis.error_reply('NOTYOURS ' .. id) end
local refusal = behind(outbox, max)
if refusal then return refusal end
local event = telling({'type', 'deleted', 'rid', rid, 'id', id, 'author', author}, status, entities)
-- Pages of what is below, or quotes it, show it too, and of those who boosted it.
if redis.call('EXISTS', thread, boosters, quotes, detached) > 0 then
  add(event, 'answered', 1)
end
give_up(uploads, media)
redis.call('DEL', status)
redis.call('UNLINK', likes, replies, thread, versions, votes, quotes, detached)
redis.call('ZREM', ending, id)
redis.call('ZREM', profile, id)
redis.call('ZREM', pinned, id)
redis.call('ZREM', home, id .. ':' .. uid)
if to then redis.call('ZREM', replied, id .. ':' .. to) end
if is_limited(vis) then file_limited('ZREM', limited, uid, id, to, vis, who) end
emit(outbox, partition, unpack(event))
return media or ''
