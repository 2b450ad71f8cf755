-- Add a point to a cell, or remove it, while the worker holds its lease.
--
-- KEYS     points   community.nearby.points(cell, kind)
--          times    community.nearby.point_times(cell, kind)
-- ARGV     member
--          lat      '' to remove the point
--          long
--          added    unix seconds
--          keep     seconds
--          limit    most points
-- FENCED

if lat == '' then
  redis.call('ZREM', points, member)
  redis.call('ZREM', times, member)
else
  add_point(points, times, member, lat, long, added, keep, limit)
end
return 1
