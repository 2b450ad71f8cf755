-- Mark yesterday in a member's calendar for points, so that a streak goes on. Once a month.
--
-- KEYS     member        accounts.user(uid)
--          check_in    rewards.points.check_in(uid)
--          check_ins   rewards.points.check_ins.prefix(uid)
-- ARGV     offset   of the member's time zone, seconds to add to UTC
--          price    in points
--          badges...      days in a row, the fewest first
-- RETURNS  the streak
-- ERRORS   NOMEMBER, SUSPENDED, NOREPAIR (no streak ended the day before), REPAIRED, FUNDS
-- EMITS    profile_edited

require_active()
refuse_when_behind()
local bits, today = check_ins .. uid .. ':', today_at(tonumber(offset))
local last, longest, repaired = unpack(redis.call('HMGET', check_in, 'last', 'longest', 'repaired'))
if streak_at(bits, today - 1) > 0 or streak_at(bits, today - 2) == 0 then
  refuse('NOREPAIR', uid)
end
if tonumber(repaired or 0) >= month_of(today) then refuse('REPAIRED', uid) end
local balance = book(-tonumber(price), 'repair', 'repair:' .. today - 1)
if type(balance) == 'table' then return balance end

mark(bits, today - 1)
last = math.max(tonumber(last), today - 1)
local streak = streak_at(bits, last)
redis.call('HSET', check_in, 'last', last, 'streak', streak, 'repaired', month_of(today),
  'longest', math.max(streak, tonumber(longest)))
if show_badge(member, check_in, badges) then emit('profile_edited', 'uid', uid) end
return streak
