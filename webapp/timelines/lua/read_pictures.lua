-- Read the newest of a member's statuses with pictures: those meant for the viewer and, apart,
-- those meant for followers.
--
-- KEYS     media           statuses.profile_media(uid)
--          user            accounts.user(uid)
--          status_prefix   statuses.status.prefix(uid)
-- ARGV     viewer     uid, 0 for a visitor
--          bound      '+inf' or '(id'
--          limit      ids meant for the viewer
--          scan_max   ids that are looked through
-- RETURNS  {ids, ids for followers, 1 if more ids may follow}, newest first in each list
-- WRITES   nothing

local is_protected = redis.call('HEXISTS', user, 'protected') == 1
local ids = redis.call('ZRANGE', media, bound, '-inf', 'BYSCORE', 'REV', 'LIMIT', 0, scan_max)
local for_viewer, for_followers = {}, {}
for _, id in ipairs(ids) do
  local fields = redis.call('HMGET', status_prefix .. id, 'visibility', 'mentioned')
  local visibility = effective_visibility(fields[1], is_protected)
  if may_see(viewer, uid, visibility, fields[2], false) then
    for_viewer[#for_viewer + 1] = id
    if #for_viewer == tonumber(limit) then return {for_viewer, for_followers, 1} end
  elseif visibility == 'f' then
    for_followers[#for_followers + 1] = id
  end
end
return {for_viewer, for_followers, #ids == tonumber(scan_max) and 1 or 0}
