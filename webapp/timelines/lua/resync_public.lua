-- Purpose: bring the public timeline up to whether an author is shown: takes all of theirs out, and puts in what is given.
-- KEYS: 1 = keys.public  2 = keys.fences   ARGV: 1 = source  2 = token  3 = author  4 = PUBLIC_MAX; then ids, newest first
-- Returns: how many are in it now   Errors: LEASELOST   Writes: all keys
-- include core/events/lua/includes/fence.lua
-- include following/lua/includes/purge_author_from_home.lua
local public, fences = KEYS[1], KEYS[2]
local source, token, author, cap = unpack(ARGV, 1, 4)
local refusal = stale(fences, source, token)
if refusal then return refusal end
leave(public, author)
for index = 5, #ARGV do redis.call('ZADD', public, ARGV[index], ARGV[index] .. ':' .. author) end
redis.call('ZREMRANGEBYRANK', public, 0, -(tonumber(cap) + 1))
return redis.call('ZCARD', public)
