-- Remove chats from those in which something waits to be fetched, unless more has come meanwhile.
--
-- KEYS     unfetched   chat.inbox.member_unfetched(uid)
-- ARGV     chats...   for each chat its id, then the last message that was fetched
-- RETURNS  how many were removed

local removed = 0
for index = 1, #chats, 2 do
  local newest = tonumber(redis.call('ZSCORE', unfetched, chats[index]))
  if newest and newest <= tonumber(chats[index + 1]) then
    removed = removed + redis.call('ZREM', unfetched, chats[index])
  end
end
return removed
