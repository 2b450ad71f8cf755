-- Add a new status or boost to the timelines of active lists that have its author, or remove it.
--
-- A restricted status goes to the lists of those who may see it. A reply goes to lists that also
-- have the member it answers, or whose owner that is.
--
-- KEYS     fences          core.events.fences(tag)
--          partitions...   for each partition its active lists, and the beginnings of its lists'
--                          timelines, of their members, and of follows
-- ARGV     entry
--          id           '' to remove the entry
--          author       or booster
--          reply_to     the uid it answers, or ''
--          visibility   f (followers and mentioned), m (mentioned), or '' (public)
--          mentioned    their uids, a blank around each
--          limit        most entries of a list's timeline
--          names...     for each partition its lists (`owner:number`), spaced
-- RETURNS  the number of timelines that changed
-- WRITES   partitions
-- FENCED

local function may_see(owner, following_prefix)
  if visibility == '' or string.find(mentioned, ' ' .. owner .. ' ', 1, true) then return true end
  return visibility == 'f' and redis.call('ZSCORE', following_prefix .. owner, author)
end

local function wants(owner, name, active, members, following_prefix)
  return redis.call('ZSCORE', active, name) and redis.call('ZSCORE', members, author)
    and may_see(owner, following_prefix)
    and (reply_to == '' or reply_to == owner or redis.call('ZSCORE', members, reply_to))
end

local changed = 0
for i, group in ipairs(names) do
  local active, home_prefix, members_prefix, following_prefix = unpack(partitions, 4 * i - 3, 4 * i)
  for owner, number in string.gmatch(group, '(%d+):(%d+)') do
    local name = owner .. ':' .. number
    local timeline = home_prefix .. name
    if id == '' then
      changed = changed + redis.call('ZREM', timeline, entry)
    elseif wants(owner, name, active, members_prefix .. name, following_prefix) then
      changed = changed + redis.call('ZADD', timeline, id, entry)
      redis.call('ZREMRANGEBYRANK', timeline, 0, -(tonumber(limit) + 1))
    end
  end
end
return changed
