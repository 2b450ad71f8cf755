-- Purpose: read a page of a home timeline, telling the truth about follows, blocks and mutes; the visit keeps the member active.
-- KEYS: 1 = keys.home  2 = keys.following  3 = keys.active  4 = keys.pulled  5 = keys.suspended  6 = keys.mutes  7 = keys.blocks
--   8 = keys.blockers  9 = keys.followed_tags  10 = keys.session, or none where it is known who asks
-- ARGV: 1 = uid  2 = upper bound: '+inf' or '(id'  3 = entries wanted  4 = HOME_MAX  5… = entries to remove first: their status is gone
-- Returns: {state, entries, followed authors to merge, followed tags and, where there are any, whom their posts are not shown
--   of}. States: absent (not kept: rebuild), cut (something is missing here: rebuild), more (as many as wanted), capped (the
--   newest HOME_MAX end here), end; false without a session
-- Writes: KEYS 1, 3
-- include ids.lua
-- include timelines/sight.lua
local home, following, active, pulled, suspended, mutes, blocks, blockers, tags, session = unpack(KEYS)
local uid, bound, want, cap = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local HOUR = 3600
if session and redis.call('HGET', session, 'uid') ~= uid then return false end
for index = 5, #ARGV do redis.call('ZREM', home, ARGV[index]) end
local visit, now = redis.call('ZSCORE', active, uid), math.floor(now_ms() / 1000)
if not visit then return {'absent', {}, {}, {}, {}} end
if now - math.abs(tonumber(visit)) > HOUR then redis.call('ZADD', active, now, uid) end
local shown = sight(uid, suspended, mutes, blocks, blockers)
local known, entries, merge = {[uid] = true}, {}, redis.call('ZINTER', 2, following, pulled)
local names = redis.call('ZRANGE', tags, 0, -1)
local hidden = #names > 0 and out_of_sight(mutes, blocks, blockers) or {}
local function followed(author)
  if known[author] == nil then known[author] = redis.call('ZSCORE', following, author) and true or false end
  return known[author]
end
for index = #merge, 1, -1 do
  if shown and not shown(merge[index]) then table.remove(merge, index) end
end
repeat
  local chunk = redis.call('ZRANGE', home, bound, '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, want)
  for _, entry in ipairs(chunk) do
    local id, author, to = string.match(entry, '^(%d+):(%d+):?(%d*)$')
    if not id then -- the mark `more`, which is the last
      local missing = redis.call('ZCARD', home) - 1 < cap
      return {missing and 'cut' or 'capped', entries, merge, names, hidden}
    end
    bound = '(' .. id
    if not (followed(author) and (to == '' or followed(to))) then
      redis.call('ZREM', home, entry)
    elseif not shown or shown(author) then
      entries[#entries + 1] = entry
    end
    if #entries == want then return {'more', entries, merge, names, hidden} end
  end
until #chunk < want
return {'end', entries, merge, names, hidden}
