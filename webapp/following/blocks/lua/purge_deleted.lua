-- Remove a deleted account from others' lists of blocks, or of blockers, in one partition.
--
-- KEYS     fences     hash
--          lists...   zsets: uid -> unix ms
-- ARGV     source
--          token
--          uid        the deleted account
-- RETURNS  how many lists held it
-- ERRORS   LEASELOST
-- WRITES   every key
-- include core/events/lua/includes/fence.lua

local refusal = stale(fences, source, token)
if refusal then return refusal end

local count = 0
for _, list in ipairs(lists) do count = count + redis.call('ZREM', list, uid) end
return count
