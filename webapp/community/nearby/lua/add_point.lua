-- Add a point to a cell, in place of where it was. The oldest points go.
--
-- KEYS     points   community.nearby.points(cell, kind)
--          times    community.nearby.point_times(cell, kind)
-- ARGV     member
--          lat
--          long
--          added    unix seconds, or '' for now
--          keep     seconds
--          limit    most points

add_point(points, times, member, lat, long, added, keep, limit)
return 1
