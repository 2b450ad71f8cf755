-- Purpose: note what a member did just now with a status, which may wait a moment to be counted. Include after core/store/lua/includes/ids.lua.
local JUST_NOW = 60
local function note_act(acted, id)
  local now = now_ms()
  redis.call('ZADD', acted, id_text(now), id)
  redis.call('ZREMRANGEBYSCORE', acted, '-inf', id_text(now - JUST_NOW * 1000))
  redis.call('EXPIRE', acted, JUST_NOW)
end
