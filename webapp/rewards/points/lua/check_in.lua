-- Mark today in a member's calendar, and book the points for it. A second time changes nothing.
--
-- KEYS     member        accounts.user(uid)
--          check_in    rewards.points.check_in(uid)
--          check_ins   rewards.points.check_ins.prefix(uid)
--          earned      rewards.points.earned(uid)
-- ARGV     offset   of the member's time zone, seconds to add to UTC
--          zone     that zone, if it is to be kept: at the first check-in; or ''
--          day      points for a day
--          week     more points for each seventh day in a row
--          badges...      days in a row, the fewest first
-- RETURNS  the points earned now, 0 if today is marked already
-- ERRORS   NOMEMBER, SUSPENDED
-- EMITS    checked_in, profile_edited

require_active()
local today, last = today_at(tonumber(offset)), redis.call('HGET', check_in, 'last')
if last and (zone ~= '' or today <= tonumber(last)) then return 0 end
refuse_when_behind()

if zone ~= '' then redis.call('HSET', check_in, 'zone', zone) end
local bits = check_ins .. uid .. ':'
mark(bits, today)
local streak = streak_at(bits, today)
local longest = math.max(streak, tonumber(redis.call('HGET', check_in, 'longest') or 0))
redis.call('HSET', check_in, 'last', today, 'streak', streak, 'longest', longest)
local gained = tonumber(day)
book(gained, 'checkin', 'checkin:' .. today)
if streak % 7 == 0 then
  book(tonumber(week), 'week', 'week:' .. today)
  gained = gained + tonumber(week)
end
earn(earned, gained)
emit('checked_in', 'uid', uid)
if show_badge(member, check_in, badges) then emit('profile_edited', 'uid', uid) end
return gained
