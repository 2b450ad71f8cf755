-- Purpose: put a new status or boost into the timelines of lists that are active and have its author on them now, or take it
-- out. What not everybody may see goes to the lists of those who may; a reply to another where the one answered is on the list
-- too, or has made it.
-- KEYS: 1 = keys.fences; then for each partition keys.active_lists and the beginnings of its keys.list_home, keys.list_members
--       and keys.following
-- ARGV: 1 = source  2 = token  3 = entry  4 = id, or '' to take it out  5 = author, or who boosts  6 = whom it answers, or ''
--       7 = f where it is for followers and those named, m for the latter alone, or ''  8 = uids of these, a blank around each
--       9 = LIST_HOME_MAX; then for each partition its lists (`owner:number`), spaced
-- Returns: how many timelines that changed   Errors: LEASELOST   Writes: KEYS[1] and timelines below the beginnings
-- include core/events/lua/includes/fence.lua
local source, token, entry, id, author, to, limited, who, cap = unpack(ARGV, 1, 9)
local refusal = stale(KEYS[1], source, token)
if refusal then return refusal end
local call, changed = redis.call, 0
for part = 10, #ARGV do
  local active, home_of, members_of, following_of = unpack(KEYS, 4 * part - 38, 4 * part - 35)
  local function may_see(owner)
    if limited == '' or string.find(who, ' ' .. owner .. ' ', 1, true) then return true end
    return limited == 'f' and call('ZSCORE', following_of .. owner, author)
  end
  local function wants(owner, name)
    return call('ZSCORE', active, name) and call('ZSCORE', members_of .. name, author) and may_see(owner)
      and (to == '' or to == owner or call('ZSCORE', members_of .. name, to))
  end
  for owner, number in string.gmatch(ARGV[part], '(%d+):(%d+)') do
    local name = owner .. ':' .. number
    if id == '' then
      changed = changed + call('ZREM', home_of .. name, entry)
    elseif wants(owner, name) then
      changed = changed + call('ZADD', home_of .. name, id, entry)
      call('ZREMRANGEBYRANK', home_of .. name, 0, -(tonumber(cap) + 1))
    end
  end
end
return changed
