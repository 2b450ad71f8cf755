-- Lists whose members change.
--
-- KEYS     active   lists.active_lists(uid)

-- Mark the timeline of the list `name` (`uid:number`) for a rebuild, if it is active. The score is
-- new each time, so that a rebuild that began before does not count as done.
local function touch_list(name)
  redis.call('ZADD', active, 'XX', string.format('%.6f', -now_us() / 1000000), name)
end
