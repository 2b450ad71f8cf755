-- Return an error reply: a code, and what it is about.
local function refuse(code, about) return redis.error_reply(code .. ' ' .. about) end
