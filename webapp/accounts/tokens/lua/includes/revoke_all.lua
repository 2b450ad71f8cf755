-- Revoke all of a member's tokens, or apps: `list` is the zset of them, `prefix` of their hashes.
local function revoke_all(list, prefix)
  for _, id in ipairs(redis.call('ZRANGE', list, 0, -1)) do redis.call('DEL', prefix .. id) end
  redis.call('DEL', list)
end
