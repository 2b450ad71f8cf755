-- The members of exclusive lists, whom the home leaves out.
--
-- KEYS     lists            lists.lists(uid)
--          list_prefix      lists.list_.prefix(uid)
--          members_prefix   lists.list_members.prefix(uid)
--          excluded         timelines.home_excluded(uid)
-- WRITES   excluded

-- Store the members of the owner's exclusive lists: those that their home leaves out.
local function store_excluded()
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
