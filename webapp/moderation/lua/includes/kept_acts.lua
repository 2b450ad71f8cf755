-- The acts on a member that are kept.
--
-- KEYS     member   accounts.user(uid)

-- Return true while a decision holds that is only in force until it is taken back.
local function is_in_force(entry)
  local kind = entry and cjson.decode(entry).kind
  return kind == 'limit' and redis.call('HEXISTS', member, 'limited') == 1
    or kind == 'suspend' and redis.call('HEXISTS', member, 'suspended') == 1
end

-- Forget the act of a number, unless it is in force: then it could not be taken back.
local function forget_act(acts, told, number)
  if is_in_force(redis.call('HGET', acts, number)) then return end
  redis.call('HDEL', acts, number, number .. ':answer', number .. ':appeal', number .. ':reports')
  redis.call('ZREM', told, number, number .. ':answer')
end
