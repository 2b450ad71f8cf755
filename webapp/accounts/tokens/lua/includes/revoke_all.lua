-- Purpose: revoke all of a member's access tokens, or apps.
local function end_tokens(tokens, prefix)
  for _, sha in ipairs(redis.call('ZRANGE', tokens, 0, -1)) do redis.call('DEL', prefix .. sha) end
  redis.call('DEL', tokens)
end
