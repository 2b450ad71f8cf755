-- Changes that go with any change of a list's members.
-- include core/store/lua/includes/ids.lua

-- Mark the timeline of the list `name` (`uid:number`) for a rebuild, if it is active. The score is
-- new each time, so that a rebuild that began before does not count as done.
local function touch_list(active, name)
  redis.call('ZADD', active, 'XX', string.format('%.6f', -now_us() / 1000000), name)
end

-- Store the members of the owner's exclusive lists: those that their home leaves out.
local function store_excluded(uid, excluded, lists, list_prefix, members_prefix)
  local sources = {}
  for _, number in ipairs(redis.call('ZRANGE', lists, 0, -1)) do
    local name = uid .. ':' .. number
    if redis.call('HEXISTS', list_prefix .. name, 'exclusive') == 1 then
      sources[#sources + 1] = members_prefix .. name
    end
  end
  if #sources == 0 then return redis.call('UNLINK', excluded) end
  redis.call('ZUNIONSTORE', excluded, #sources, unpack(sources))
end
