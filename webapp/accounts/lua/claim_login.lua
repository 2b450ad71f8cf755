-- Purpose: claim a name for a member id that has no account yet.
-- KEYS[1] = keys.login   ARGV[1] = uid   ARGV[2] = an old claim to take over, as it was read, or ''
-- Returns: {1, claim} when it is ours; {0, claim, 1 if old enough to be taken over} otherwise   Writes: KEYS[1]
-- include core/store/lua/includes/ids.lua
local name, uid, expected = KEYS[1], ARGV[1], ARGV[2]
local TAKEOVER_MS = 60000
local now = now_ms()
local held = redis.call('GET', name)
if held then
  local old = now - tonumber(string.match(held, ':(%d+)$')) > TAKEOVER_MS
  if not (old and held == expected) then return {0, held, old and 1 or 0} end
end
local claim = uid .. ':' .. id_text(now)
redis.call('SET', name, claim)
return {1, claim}
