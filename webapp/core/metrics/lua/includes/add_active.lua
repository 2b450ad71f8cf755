-- Active members.

local BLOCK = 1048576 -- members of one bitmap

-- Note that members came this week, which began on a Monday.
local function add_active(prefix, uids, seconds)
  local week = math.floor((math.floor(seconds / 86400) + 3) / 7)
  for _, uid in ipairs(uids) do
    local key = prefix .. week .. ':' .. math.floor(uid / BLOCK)
    redis.call('SETBIT', key, uid % BLOCK, 1)
    redis.call('EXPIRE', key, 70 * 86400)
  end
end
