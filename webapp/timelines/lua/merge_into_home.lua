-- Purpose: merge older statuses of followed authors into a home that is kept.
-- KEYS: 1 = keys.home  2 = keys.following  3 = keys.active  4 = keys.fences
-- ARGV: 1 = uid  2 = source, '' in a rebuild  3 = token  4 = HOME_MAX  5 = HOME_SLACK  6 = the id below which some were
--       left out, or ''  7 = mark of the rebuild or ''  8 = version of the list of follows it read, or ''  9 = the id below which it read, ''
--       for the newest  10… = entries
-- Returns: how many were new; -1 where a rebuild is to be begun again   Errors: LEASELOST   Writes: KEYS 1, 4
-- include core/events/lua/includes/fence.lua
-- include core/store/lua/includes/ids.lua
-- include timelines/lua/includes/trim.lua
-- include timelines/lua/includes/follows_version.lua
-- include timelines/lua/includes/parse_entry.lua
local home, following, active, fences = unpack(KEYS)
local uid, source, token, cap, slack, left_out, mark, read, bound = unpack(ARGV, 1, 9)
local refusal = source ~= '' and stale(fences, source, token)
if refusal then return refusal end
if not redis.call('ZSCORE', active, uid) then return 0 end
if mark ~= '' and version(following) ~= read then return -1 end
-- Below its oldest entry a cut home lacks what others wrote, so nothing may be added there but by a rebuild, which knows it
-- all where it began above that.
local floor = 0
if redis.call('ZSCORE', home, 'more') then
  local oldest = redis.call('ZRANGE', home, 1, 1, 'WITHSCORES')
  floor = tonumber(oldest[2] or math.huge)
end
if mark ~= '' then
  if bound ~= '' and tonumber(bound) < floor then return -1 end
  floor = 0
end
local known, added = {[uid] = true}, 0
local function followed(author)
  if known[author] == nil then known[author] = redis.call('ZSCORE', following, author) and true or false end
  return known[author]
end
for index = 10, #ARGV do
  local id, author, to = parse(ARGV[index])
  if followed(author) and (to == '' or followed(to)) and tonumber(id) > floor then added = added + redis.call('ZADD', home, id, ARGV[index]) end
end
if left_out ~= '' and floor == 0 then
  redis.call('ZREMRANGEBYSCORE', home, 0, '(' .. left_out)
  cut(home, tonumber(cap))
else
  trim(home, tonumber(cap), tonumber(slack))
  if mark ~= '' and redis.call('ZSCORE', home, 'more') == mark then redis.call('ZREM', home, 'more') end
end
return added
