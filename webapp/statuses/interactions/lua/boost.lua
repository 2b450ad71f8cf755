-- Purpose: boost a status: make the boost's id, write it into the member's list and home, and tell the worker. Above
-- BOOSTS_MAX the oldest boost is taken back, as if by hand.
-- KEYS: 1 = keys.boosts  2 = keys.acted  3 = keys.outbox  4 = keys.user  5 = keys.blocks  6 = keys.blockers  7 = keys.last_id
--       8 = keys.home  9 = keys.active   (of who boosts it)
-- ARGV: 1 = uid  2 = the status  3 = its author's uid  4 = BOOSTS_MAX  5 = partition  6 = OUTBOX_MAX  7 = rid  8 = HOME_MAX
--       9 = HOME_SLACK
-- Returns: 1, or 0 when that is so already   Errors: NOMEMBER, SUSPENDED, CANNOTBOOST, EARLY, OVERLOADED
-- Writes: KEYS 1 to 3, 7 and 8
-- include core/store/lua/includes/ids.lua
-- include core/events/lua/includes/emit.lua
-- include timelines/lua/includes/trim.lua
-- include statuses/interactions/lua/includes/record_interaction.lua
-- include statuses/interactions/lua/includes/undo_boost.lua
local boosts, acted, outbox, user, blocks, blockers, last, home, active = unpack(KEYS)
local uid, status, author, most, partition, max, rid, cap, slack = unpack(ARGV)
local member, name = redis.call('HMGET', user, 'login', 'suspended'), status .. ':' .. author
if not member[1] then return redis.error_reply('NOMEMBER ' .. uid) end
if member[2] then return redis.error_reply('SUSPENDED ' .. uid) end
if redis.call('ZSCORE', boosts, name) then return 0 end
if redis.call('ZSCORE', blocks, author) or redis.call('ZSCORE', blockers, author) then
  return redis.error_reply('CANNOTBOOST ' .. author)
end
-- A boost is newer than what it shows. Servers' clocks may differ by a minute.
local ahead = tonumber(status) > tonumber(next_id(false, now_ms() + 60000, 0))
if ahead then return redis.error_reply('EARLY ' .. status) end
local refusal = behind(outbox, max)
if refusal then return refusal end
local newest = id_text(math.max(tonumber(redis.call('GET', last) or 0), tonumber(status)))
local id = next_id(newest, now_ms(), tonumber(partition))
redis.call('SET', last, id)
redis.call('ZADD', boosts, id, name)
note_act(acted, status)
if redis.call('ZSCORE', active, uid) then -- otherwise the next visit builds the home anew
  redis.call('ZADD', home, id, (boost_entry(id, uid, name)))
  trim(home, tonumber(cap), tonumber(slack))
end
emit(outbox, partition, 'type', 'boosted', 'rid', rid, 'id', id, 'uid', uid, 'target', status, 'author', author)
local spare = math.min(redis.call('ZCARD', boosts) - tonumber(most), 10) -- one; more once the setting is lowered
for _, oldest in ipairs(spare > 0 and redis.call('ZRANGE', boosts, 0, spare - 1) or {}) do
  take_boost_back(boosts, home, uid, oldest, outbox, partition, rid)
end
return 1
