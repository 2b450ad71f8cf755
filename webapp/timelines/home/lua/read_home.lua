-- Read a page of a home timeline: only entries that its member may see, of current follows.
--
-- The visit keeps the member active. Entries of authors who are no longer followed are removed.
-- A boost is left out if one of the next `window` visible entries below it shows the same status.
-- A home that is absent, or cut off above `home_max` entries, is not read: its rebuild begins.
--
-- KEYS     home            accounts.home(uid)
--          following       following.following(uid)
--          active          accounts.active_members(uid)
--          pull_authors    timelines.pull_authors(uid)
--          suspended       accounts.suspended_members(uid)
--          mutes           following.mutes(uid)
--          blocks          following.blocks(uid)
--          blockers        following.blockers(uid)
--          tags            timelines.followed_tags(uid)
--          groups          statuses.visibility.groups(uid)
--          excluded        timelines.home_excluded(uid)
--          hidden_boosts   following.hidden_boosts(uid)
--          member          accounts.user(uid)
--          likes           statuses.interactions.member_likes(uid)
--          bookmarks       statuses.interactions.bookmarks(uid)
--          boosts          statuses.interactions.member_boosts(uid)
--          votes           statuses.polls.member_votes(uid)
--          recent          statuses.interactions.recent_interactions(uid)
--          session?        hash: the session that asks, where it is not proved yet
-- ARGV     bound        the upper bound: '+inf' or '(id'
--          size         entries wanted
--          home_max     entries of a full home
--          window       entries below a boost that may hide it
--          groups_max   groups whose posts are shown
-- RETURNS  {state, entries, pull authors followed, names of tags and '=gid' of groups, hidden uids
--          (only with such names), viewer state or rebuild, kinds of entries that are hidden}; nil
--          if the session is not this member's.
--          States: absent, cut (both with a rebuild), more (below these), capped, end.
-- ERRORS   NOMEMBER
-- WRITES   home, active
-- IDEMPOTENT

local HOUR = 3600 -- seconds; a visit is noted once in that time

if session and redis.call('HGET', session, 'uid') ~= uid then return false end
local visited, now = redis.call('ZSCORE', active, uid), math.floor(now_ms() / 1000)
local followed_pull_authors = redis.call('ZINTER', 2, following, pull_authors)
local names = redis.call('ZRANGE', tags, 0, -1)
local shown = redis.call('ZRANGE', groups, 1, 1, 'BYSCORE', 'LIMIT', 0, groups_max)
for _, gid in ipairs(shown) do names[#names + 1] = '=' .. gid end
local is_visible = visible_authors(uid, suspended, mutes, blocks, blockers, excluded)
local hides = redis.call('HGET', member, 'home_hides') or ''
local may_show = visible_entries(uid, is_visible, hidden_boosts, hides)
local entries, state = {}, 'absent'

if visited then
  if now - math.abs(tonumber(visited)) > HOUR then redis.call('ZADD', active, now, uid) end
  local follows = follows_lookup(uid, following)
  entries, state = scan_home(home, bound, tonumber(size), follows, may_show, tonumber(window))
  if state == 'bottom' then
    state = redis.call('ZCARD', home) - 1 < tonumber(home_max) and 'cut' or 'capped'
  end
end

if state == 'absent' or state == 'cut' then
  local rebuild = begin_rebuild(uid, home, following, active, member)
  return {state, {}, followed_pull_authors, names, {}, rebuild, hides}
end

local visible_pull_authors = followed_pull_authors
if is_visible then visible_pull_authors = select_visible(followed_pull_authors, is_visible) end
local hidden = #names > 0 and hidden_authors(mutes, blocks, blockers, excluded) or {}
local interactions = viewer_state(entries, likes, bookmarks, boosts, votes, recent)
return {state, entries, visible_pull_authors, names, hidden, interactions, hides}
