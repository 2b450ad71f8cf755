-- Say in which chats messages wait to be fetched by a member, without reading them.
--
-- KEYS     chats...   for each chat, the keys `chat` and `fetch_positions`
-- ARGV     uid   who fetches
-- RETURNS  1 or 0 for each chat

local flags = {}
for index = 1, #chats, 2 do
  local position = redis.call('ZSCORE', chats[index + 1], uid)
  local last = tonumber(redis.call('HGET', chats[index], 'last') or 0)
  flags[#flags + 1] = position and last > tonumber(position) and 1 or 0
end
return flags
