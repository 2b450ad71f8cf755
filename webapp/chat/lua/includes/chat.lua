-- Answer for a chat: numbers of its hash, and hints to open pages.

-- Return a number of the chat's hash, 0 if it is missing.
local function chat_number(chat, field) return tonumber(redis.call('HGET', chat, field) or 0) end

-- Tell open pages of a change: a letter (`ChangeHint` in chat/live/hints.py), then ids.
local function publish(...) redis.call('PUBLISH', 'chat', table.concat({...}, ' ')) end
