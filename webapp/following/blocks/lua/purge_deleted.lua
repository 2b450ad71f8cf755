-- Remove a deleted account from others' lists of blocks, or of blockers, in one partition.
--
-- KEYS     fences     core.events.fences(tag)
--          lists...   zsets: uid -> unix ms
-- ARGV     uid   the deleted account
-- RETURNS  how many lists held it
-- FENCED

local count = 0
for _, list in ipairs(lists) do count = count + redis.call('ZREM', list, uid) end
return count
