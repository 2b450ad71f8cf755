-- Purpose: read a page of a home timeline, telling the truth about follows, blocks, mutes and exclusive lists; the visit
-- keeps the member active. A boost is left out where one of the entries just below it that are shown shows the same status.
-- KEYS: 1 = keys.home  2 = keys.following  3 = keys.active  4 = keys.pulled  5 = keys.suspended  6 = keys.mutes  7 = keys.blocks
--   8 = keys.blockers  9 = keys.followed_tags  10 = keys.aside  11 = keys.user  12 = keys.liked  13 = keys.bookmarks
--   14 = keys.boosts  15 = keys.voted  16 = keys.acted  17 = keys.session, or none where it is known who asks
-- ARGV: 1 = uid  2 = upper bound: '+inf' or '(id'  3 = entries wanted  4 = HOME_MAX  5 = how many entries
--   below a boost are looked at
-- Returns: {state, entries, followed authors to merge, followed tags and, where there are any, whom their posts are not shown
--   of; and what acts gives, or what begin_rebuild does, where it is to be built}. States: absent (not kept), cut (something is missing here),
--   both to be built; more (as many as wanted), capped (the newest HOME_MAX end here), end; false without a session
-- Errors: NOMEMBER   Writes: KEYS 1, 3
-- include core/store/lua/includes/ids.lua
-- include timelines/lua/includes/visible_authors.lua
-- include timelines/lua/includes/parse_entry.lua
-- include timelines/lua/includes/scan_home.lua
-- include timelines/lua/includes/viewer_state.lua
-- include timelines/lua/includes/follows_version.lua
-- include timelines/rebuild/lua/includes/begin_rebuild.lua
local home, following, active, pulled, suspended, mutes, blocks, blockers, tags, aside, user = unpack(KEYS)
local session = KEYS[17]
local uid, bound, want, cap, window = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local HOUR = 3600
if session and redis.call('HGET', session, 'uid') ~= uid then return false end
local visit, now = redis.call('ZSCORE', active, uid), math.floor(now_ms() / 1000)
local known, merge = {[uid] = true}, redis.call('ZINTER', 2, following, pulled)
local names = redis.call('ZRANGE', tags, 0, -1)
local entries, state, shown = {}, 'absent', sight(uid, suspended, mutes, blocks, blockers, aside)
local function followed(people)
  local asked = {}
  for other in pairs(people) do
    if known[other] == nil then asked[#asked + 1] = other end
  end
  local scores = #asked > 0 and redis.call('ZMSCORE', following, unpack(asked))
  for at, other in ipairs(asked) do known[other] = scores[at] and true or false end
  return known
end
if visit then
  if now - math.abs(tonumber(visit)) > HOUR then redis.call('ZADD', active, now, uid) end
  entries, state = look(home, bound, want, followed, shown, window)
  if state == 'bottom' then state = redis.call('ZCARD', home) - 1 < cap and 'cut' or 'capped' end
end
if state == 'absent' or state == 'cut' then
  local begun = begin_rebuild(uid, home, following, active, user)
  return begun.err and begun or {state, {}, merge, names, {}, begun}
end
for index = #merge, 1, -1 do
  if shown and not shown(merge[index]) then table.remove(merge, index) end
end
local hidden = #names > 0 and out_of_sight(mutes, blocks, blockers, aside) or {}
return {state, entries, merge, names, hidden, acts(entries, unpack(KEYS, 12, 16))}
