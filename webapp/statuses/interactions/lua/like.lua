-- Purpose: like a status, and tell the worker. Above LIKES_MAX the oldest like is taken back, as if by hand.
-- KEYS: 1 = keys.liked  2 = keys.acted  3 = keys.outbox  4 = keys.user  5 = keys.blocks  6 = keys.blockers   (of who likes it)
-- ARGV: 1 = uid  2 = id  3 = its author's uid  4 = LIKES_MAX  5 = partition  6 = OUTBOX_MAX  7 = rid
-- Returns: 1, or 0 when that is so already   Errors: NOMEMBER, SUSPENDED, CANNOTLIKE, OVERLOADED   Writes: KEYS 1 to 3
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/emit.lua
-- include statuses/interactions/lua/includes/record_interaction.lua
local liked, acted, outbox, user, blocks, blockers = unpack(KEYS)
local uid, id, author, most, partition, max, rid = unpack(ARGV)
local member = redis.call('HMGET', user, 'login', 'suspended')
if not member[1] then return redis.error_reply('NOMEMBER ' .. uid) end
if member[2] then return redis.error_reply('SUSPENDED ' .. uid) end
if redis.call('ZSCORE', liked, id) then return 0 end
if redis.call('ZSCORE', blocks, author) or redis.call('ZSCORE', blockers, author) then
  return redis.error_reply('CANNOTLIKE ' .. author)
end
local refusal = behind(outbox, max)
if refusal then return refusal end
local newest = redis.call('ZRANGE', liked, -1, -1, 'WITHSCORES')
redis.call('ZADD', liked, id_text(math.max(now_ms(), tonumber(newest[2] or 0) + 1)), id)
note_act(acted, id)
emit(outbox, partition, 'type', 'liked', 'rid', rid, 'uid', uid, 'id', id, 'author', author)
local spare = math.min(redis.call('ZCARD', liked) - tonumber(most), 10) -- one; more once the setting is lowered
if spare > 0 then
  for _, oldest in ipairs(redis.call('ZRANGE', liked, 0, spare - 1)) do
    redis.call('ZREM', liked, oldest)
    emit(outbox, partition, 'type', 'unliked', 'rid', rid, 'uid', uid, 'id', oldest)
  end
end
return 1
