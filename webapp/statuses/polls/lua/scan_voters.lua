-- Read some voters of a poll. The cursor of another server means nothing here: begin again.
--
-- KEYS     votes   statuses.polls.votes(id)
-- ARGV     cursor   '0' at the beginning
--          server   run id of the server that returned the cursor
--          limit    voters, about
-- RETURNS  {the next cursor, '0' at the end; run id of this server; uids and bits}
-- WRITES   nothing

local run_id = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
if server ~= run_id then cursor = '0' end
local page = redis.call('HSCAN', votes, cursor, 'COUNT', limit)
return {page[1], run_id, page[2]}
