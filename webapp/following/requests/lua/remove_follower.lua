-- Purpose: remove a follower; the worker ends the follow in their own partition.
-- KEYS: 1 = keys.followers  2 = keys.outbox   (of who is followed)
-- ARGV: 1 = uid  2 = the follower's uid  3 = partition  4 = OUTBOX_MAX  5 = rid
-- Returns: 1, or 0 when they are no follower   Errors: OVERLOADED   Writes: all keys
-- include core/events/lua/includes/emit.lua
local followers, outbox = KEYS[1], KEYS[2]
local uid, follower, partition, max, rid = unpack(ARGV)
if not redis.call('ZSCORE', followers, follower) then return 0 end
local refusal = behind(outbox, max)
if refusal then return refusal end
redis.call('ZREM', followers, follower)
emit(outbox, partition, 'type', 'follower_removed', 'rid', rid, 'uid', uid, 'target', follower)
return 1
