-- Add an item to the list of a member, or remove it from there.
--
-- KEYS     user    accounts.user(uid)
--          owned   rewards.items.owned_items(uid)
-- ARGV     item     its id
--          since    since when its present owner has it, unix µs
--          is_own   1 if that is this member, or ''
-- RETURNS  1, or 0 if the member's account is gone
-- WRITES   owned

if redis.call('HEXISTS', user, 'login') == 0 then return 0 end
if is_own ~= '' then
  redis.call('ZADD', owned, 'GT', since, item)
else
  -- A later entry is from when the member got it back.
  local before = redis.call('ZSCORE', owned, item)
  if before and tonumber(before) < tonumber(since) then redis.call('ZREM', owned, item) end
end
return 1
