-- Merge older entries of followed authors into an active member's home: after a follow, or to end
-- a rebuild.
--
-- Below its oldest entry a cut home lacks statuses of others. Only a rebuild may add entries there,
-- and only if it began above that.
--
-- KEYS     home        accounts.home(uid)
--          following   following.following(uid)
--          active      accounts.active_members(uid)
--          fences      core.events.fences(tag)
-- ARGV     source        '' in a rebuild
--          token
--          home_max
--          home_slack
--          complete_to   the id below which entries are missing, or ''
--          mark          the reply of begin_rebuild, or '' outside a rebuild
--          version       of the list of follows, as the rebuild read it, or ''
--          before        the id below which the rebuild read, or '' for the newest
--          entries...    newest first
-- RETURNS  the number of new entries; -1 if the rebuild must begin again
-- ERRORS   LEASELOST
-- WRITES   home
-- include core/events/lua/includes/fence.lua

if source ~= '' then stale(fences, source, token) end
if not redis.call('ZSCORE', active, uid) then return 0 end
local is_rebuild = mark ~= ''
if is_rebuild and follows_version(following) ~= version then return -1 end

local floor = 0 -- entries at or below this id may not be added
if redis.call('ZSCORE', home, 'more') then
  local oldest = redis.call('ZRANGE', home, 1, 1, 'WITHSCORES')
  floor = tonumber(oldest[2] or math.huge)
end
if is_rebuild then
  if before ~= '' and tonumber(before) < floor then return -1 end
  floor = 0
end

local is_followed = follows_lookup(uid, following)
local added = 0
for _, entry in ipairs(entries) do
  local id, author, reply_to = parse_entry(entry)
  local followed = is_followed({[author] = true, [reply_to] = true})
  if followed[author] and (reply_to == '' or followed[reply_to]) and tonumber(id) > floor then
    added = added + redis.call('ZADD', home, id, entry)
  end
end

if complete_to ~= '' and floor == 0 then
  redis.call('ZREMRANGEBYSCORE', home, 0, '(' .. complete_to)
  cut_home(home, tonumber(home_max))
else
  trim(home, tonumber(home_max), tonumber(home_slack))
  if is_rebuild and redis.call('ZSCORE', home, 'more') == mark then
    redis.call('ZREM', home, 'more')
  end
end
return added
