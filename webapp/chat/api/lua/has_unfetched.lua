-- Purpose: in which of some chats something waits for a member to fetch it: a quick look, so that quiet chats cost little.
-- KEYS: for each chat keys.chat and keys.chat_fetched   ARGV: 1 = uid
-- Returns: 1 or 0 for each chat   Errors: none   Writes: nothing
local found = {}
for index = 1, #KEYS, 2 do
  local upto = redis.call('ZSCORE', KEYS[index + 1], ARGV[1])
  local waits = upto and tonumber(redis.call('HGET', KEYS[index], 'last') or 0) > tonumber(upto)
  found[#found + 1] = waits and 1 or 0
end
return found
