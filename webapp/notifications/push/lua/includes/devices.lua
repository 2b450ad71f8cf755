-- A member's devices. `devices`: the SHAs of their sessions and of apps' tokens. `prefix`: that of
-- the partition's device keys. `due`: the partition's queue.

-- Take a device out of the queue. A message that a worker is sending then does not count.
local function unqueue(due, uid, sha)
  for _, lane in ipairs({'prompt', 'gathered', 'test'}) do
    redis.call('ZREM', due, uid .. ':' .. sha .. ':' .. lane)
  end
end

-- Remove a device. Return 1 if there was one, else 0.
local function remove_device(devices, prefix, due, uid, sha)
  unqueue(due, uid, sha)
  redis.call('DEL', prefix .. uid .. ':' .. sha)
  return redis.call('ZREM', devices, sha)
end

-- Return true if a session lasts, or a token. `login` and `suspended` are its member's.
local function is_signed_in(session_prefix, token_prefix, sha, uid, login, suspended)
  return login and not suspended and (redis.call('HGET', session_prefix .. sha, 'uid') == uid
    or redis.call('HGET', token_prefix .. sha, 'uid') == uid)
end
