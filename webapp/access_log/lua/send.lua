-- Add a block of lines to those that wait, once, and tell who follows. Refuse if too many wait.
--
-- KEYS     blocks     access_log.blocks()
--          progress   access_log.progress()
-- ARGV     file    of a process
--          start   bytes of the file before the block
--          day     such as 2026-11-28
--          text
--          limit   FILES_MAX
-- RETURNS  bytes of the file that were sent; as before if there is no room

local waiting, known = unpack(redis.call('HMGET', progress, 'waiting', file))
local size, sent = (tonumber(waiting) or 0) + #text, tonumber(known) or 0
if sent ~= tonumber(start) or size > tonumber(limit) then return sent end
redis.call('XADD', blocks, '*', 'day', day, 'text', text)
redis.call('HSET', progress, 'waiting', size, file, sent + #text)
redis.call('PUBLISH', 'access_log', text)
return sent + #text
