-- Purpose: unfollow a member.
-- KEYS: 1 = keys.following  2 = keys.home  3 = keys.outbox  4 = keys.active
-- ARGV: 1 = uid  2 = uid to unfollow  3 = partition  4 = OUTBOX_MAX  5 = rid
-- Returns: 1, or 0 when they were not followed   Errors: OVERLOADED   Writes: all keys
-- include ids.lua
-- include events.lua
-- include following/leave.lua
-- include following/end_follow.lua
local following, home, outbox, active = unpack(KEYS)
local uid, target, partition, max, rid = unpack(ARGV)
if not redis.call('ZSCORE', following, target) then return 0 end
local refusal = behind(outbox, max)
if refusal then return refusal end
return end_follow(following, home, outbox, active, uid, target, partition, rid)
