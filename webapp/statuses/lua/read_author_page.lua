-- Read the newest statuses of a member: those meant for the viewer and, apart, those meant for
-- followers. A block in the member's own list counts at once.
--
-- KEYS     status_prefix   statuses.status.prefix(uid)
--          user            accounts.user(uid)
--          blocks          following.blocks(uid)
--          for_viewer      statuses.restricted_statuses(uid, viewer)
--          for_followers   statuses.restricted_statuses(uid, 'followers')
--          posts           statuses.profile_statuses(uid)
--          replies?        zset: replies to others for everybody; left out, no replies are read
-- ARGV     viewer        uid, 0 for a visitor
--          is_follower   1 to read statuses for followers
--          bound         '+inf' or '(id'
--          limit         statuses of each list
--          scan_max      entries of a restricted list that are looked through, about
-- RETURNS  {rows, rows for followers, id, id for followers}; a row is {id, fields}, newest first in
--          each list. Below the id, restricted statuses were not looked for; '0' if there are none
-- WRITES   nothing

local function newest(list, top)
  return redis.call('ZRANGE', list, top, '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, limit)
end

local function add_row(rows, id)
  rows[#rows + 1] = {id, redis.call('HGETALL', status_prefix .. id)}
end

-- Restricted lists hold replies to others too: unwanted ones are skipped by their entry alone.
-- Return the last id that was looked at, '0' if the page is full.
local function add_restricted(rows, list)
  local top, id, remaining, scanned, entries = bound, '0', tonumber(limit), 0, nil
  repeat
    entries = newest(list, top)
    for _, entry in ipairs(entries) do
      local reply_to
      id, reply_to = string.match(entry, '^(%d+):?(%d*)$')
      top = '(' .. id
      if remaining > 0 and (reply_to == '' or replies) then
        remaining = remaining - 1
        add_row(rows, id)
      end
    end
    scanned = scanned + #entries
    if remaining == 0 or #entries < tonumber(limit) then return '0' end
  until scanned >= tonumber(scan_max)
  return id
end

local viewer_rows, follower_rows, viewer_end, follower_end = {}, {}, '0', '0'
local is_blocked = viewer ~= '0' and redis.call('ZSCORE', blocks, viewer)
local follows = is_follower == '1' and not is_blocked
local visibility = effective_visibility('', redis.call('HEXISTS', user, 'protected') == 1)
local may_see_posts = may_see(viewer, uid, visibility, '', false)
for _, list in ipairs({posts, replies}) do
  if may_see_posts or follows then
    for _, entry in ipairs(newest(list, bound)) do
      add_row(may_see_posts and viewer_rows or follower_rows, string.match(entry, '^%d+'))
    end
  end
end
if viewer ~= '0' and not is_blocked then viewer_end = add_restricted(viewer_rows, for_viewer) end
if follows then follower_end = add_restricted(follower_rows, for_followers) end
return {viewer_rows, follower_rows, viewer_end, follower_end}
