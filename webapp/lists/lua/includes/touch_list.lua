-- Purpose: what goes with any change of who is on lists. Include it after core/store/lua/includes/ids.lua.
-- The list's timeline, if it is kept, is built anew at the next look. The score is another one each time, so that a rebuild
-- which began before does not pass for done.
local function stir(active, name)
  redis.call('ZADD', active, 'XX', string.format('%.6f', -now_us() / 1000000), name)
end
-- Whom the owner's exclusive lists keep out of home.
local function set_aside(uid, aside, lists, list_of, members_of)
  local exclusive = {}
  for _, number in ipairs(redis.call('ZRANGE', lists, 0, -1)) do
    local name = uid .. ':' .. number
    if redis.call('HEXISTS', list_of .. name, 'exclusive') == 1 then exclusive[#exclusive + 1] = members_of .. name end
  end
  if #exclusive == 0 then return redis.call('UNLINK', aside) end
  redis.call('ZUNIONSTORE', aside, #exclusive, unpack(exclusive))
end
