-- Save a member's time zone, and whether boards show the member.
--
-- KEYS     member       accounts.user(uid)
--          check_in   rewards.points.check_in(uid)
-- ARGV     zone
--          hidden   1 to be left out of boards, or ''
--          badge_hidden   1 to keep the badge off the profile, or ''
--          badges...      days in a row, the fewest first
-- ERRORS   NOMEMBER, SUSPENDED, ZONEEARLY (changed less than a week ago)
-- EMITS    boards_chosen, profile_edited

local WEEK = 7 * 86400
require_active()
local current, changed = unpack(redis.call('HMGET', check_in, 'zone', 'zone_changed'))
local now, is_new = math.floor(now_us() / 1000000), zone ~= (current or 'UTC')
if is_new and now - tonumber(changed or 0) < WEEK then refuse('ZONEEARLY', uid) end
refuse_when_behind()

if is_new then redis.call('HSET', check_in, 'zone', zone, 'zone_changed', now) end
redis.call('HSET', check_in, 'hidden', hidden, 'badge_hidden', badge_hidden)
emit('boards_chosen', 'uid', uid)
if show_badge(member, check_in, badges) then emit('profile_edited', 'uid', uid) end
return 1
