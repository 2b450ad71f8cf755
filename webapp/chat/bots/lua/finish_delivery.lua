-- Purpose: note how telling a bot of a message went, and when the next is due. After a failure the bot is left in peace for a
--   while that doubles with each in a row.
-- KEYS: 1 = keys.deliveries  2 = keys.unsent  3 = keys.unsent_words  4 = keys.webhook  5 = keys.undelivered
-- ARGV: 1 = uid  2 = delivery  3 = when the lease runs out, as claimed  4 = done, dropped, again or given up
--       5 = what it is about, JSON  6 = unix ms after which to try again, from now  7 = error  8 = how many given up are kept
--       9 = longest pause, ms
-- Returns: 1, or 0 when somebody else has it by now   Errors: none   Writes: all keys
-- include core/store/lua/includes/ids.lua
local deliveries, waiting, words, webhook, undelivered = unpack(KEYS)
local uid, id, lease, outcome, entry, delay, failure, kept, longest = unpack(ARGV)
local now, mine = now_ms(), tonumber(redis.call('ZSCORE', deliveries, uid)) == tonumber(lease)
local pause = 0
if outcome == 'again' then
  if not mine or not redis.call('ZSCORE', waiting, id) then return 0 end
  redis.call('ZADD', waiting, id_text(now + tonumber(delay)), id)
  redis.call('HSET', words, id, entry)
elseif redis.call('ZREM', waiting, id) == 1 then
  redis.call('HDEL', words, id)
  if outcome == 'given up' then
    redis.call('LPUSH', undelivered, entry)
    redis.call('LTRIM', undelivered, 0, kept - 1)
  end
end
local there = redis.call('HEXISTS', webhook, 'url') == 1
if there then
  if outcome == 'done' then
    redis.call('HDEL', webhook, 'failures', 'error')
    redis.call('HSET', webhook, 'delivered', id_text(now))
  elseif failure ~= '' then
    redis.call('HSET', webhook, 'error', failure)
    pause = math.min(1000 * 2 ^ redis.call('HINCRBY', webhook, 'failures', 1), tonumber(longest))
  end
end
if not mine then return 0 end
if there then redis.call('HSET', webhook, 'until', id_text(now + pause)) end
local next = redis.call('ZRANGE', waiting, 0, 0, 'WITHSCORES')[2]
if not next then return redis.call('ZREM', deliveries, uid) end
redis.call('ZADD', deliveries, id_text(math.max(tonumber(next), now + pause)), uid)
return 1
