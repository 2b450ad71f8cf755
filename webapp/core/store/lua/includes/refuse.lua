-- End the script with an error reply: a code, and what it is about, if that helps.
local function refuse(...) error(redis.error_reply(table.concat({...}, ' '))) end
