-- Count a member's vote in a poll, once; or forget a deleted member's vote and keep the count.
--
-- KEYS     status   statuses.status(status_id)
--          votes    statuses.polls.votes(status_id)
-- ARGV     uid    who voted
--          bits   chosen options; '' if the member is deleted
-- RETURNS  1 if it was counted now, else 0; -1 if the status is gone
-- FENCED

local poll, tally = unpack(redis.call('HMGET', status, 'poll', 'tally'))
if not poll then
  redis.call('UNLINK', votes)
  return -1
end
if bits == '' then
  redis.call('HDEL', votes, uid)
  return 0
end
if redis.call('HSETNX', votes, uid, bits) == 0 then return 0 end

local counts, remaining = {}, tonumber(bits)
for count in string.gmatch(tally or '', '%d+') do counts[#counts + 1] = tonumber(count) end
local option_count = #cjson.decode(poll)[1]
for option = 1, option_count do
  counts[option] = (counts[option] or 0) + remaining % 2
  remaining = math.floor(remaining / 2)
end
local voters = option_count + 1
counts[voters] = (counts[voters] or 0) + 1
redis.call('HSET', status, 'tally', table.concat(counts, ' '))
return 1
