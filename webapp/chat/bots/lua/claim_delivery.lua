-- Purpose: claim what is due to be told to bots, one message a bot: who claims it has it until the lease runs out.
-- KEYS: 1 = keys.deliveries  2 = keys.webhook_prefix  3 = keys.unsent_prefix
-- ARGV: 1 = how many at most  2 = lease, ms; then uids of bots that are passed over
-- Returns: {uid, delivery, what it is about, url, secret, when the lease runs out} each   Errors: none
-- Writes: KEYS[1], webhooks, and what waits below KEYS[3] for bots that are told nothing any more
-- include core/store/lua/includes/ids.lua
local deliveries, webhooks, waiting = unpack(KEYS)
local most, lease, now, found, passed = tonumber(ARGV[1]), tonumber(ARGV[2]), now_ms(), {}, {}
for index = 3, #ARGV do passed[ARGV[index]] = true end
local function claim(uid)
  local id = redis.call('ZRANGE', waiting .. uid, 0, 0)[1]
  local hook = redis.call('HMGET', webhooks .. uid, 'url', 'secret')
  if id and hook[1] then
    local free = id_text(now + lease)
    redis.call('ZADD', deliveries, free, uid)
    redis.call('HSET', webhooks .. uid, 'until', free)
    found[#found + 1] = {uid, id, redis.call('HGET', waiting .. uid .. ':words', id) or '', hook[1], hook[2], free}
  else
    redis.call('ZREM', deliveries, uid)
    redis.call('UNLINK', waiting .. uid, waiting .. uid .. ':words')
  end
end
local looked = most + #ARGV - 2
for _, uid in ipairs(redis.call('ZRANGE', deliveries, '-inf', id_text(now), 'BYSCORE', 'LIMIT', 0, looked)) do
  if #found < most and not passed[uid] then claim(uid) end
end
return found
