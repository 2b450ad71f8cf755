-- Purpose: read a kept page or, when there is none or it is over, take the lease to render it.
-- KEYS: 1 = keys.page
-- ARGV: 1 = variant  2 = token  3 = the lease's life, ms  4 = most fields  5 = 1 to take what is there for over
-- Returns: {'fresh', page}; or {'yours' | 'taken' | 'loose', a page that is over or ''}: rendering is the caller's,
--          another's, or everybody's own for a moment, because what came was not to be kept
-- Errors: none   Writes: KEYS 1
local page = KEYS[1]
local variant, token, life, most, over = unpack(ARGV)
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local found = over == '0' and redis.call('HGET', page, variant) or ''
if found ~= '' and tonumber(found:match('^%d+')) > now then return {'fresh', found} end
local held = redis.call('HGET', page, '=' .. variant)
local holder, till = (held or '- 0'):match('^(%S+) (%d+)$')
if tonumber(till) > now then return {holder == '-' and 'loose' or 'taken', found} end
if not held and redis.call('HLEN', page) >= tonumber(most) then
  redis.call('HDEL', page, redis.call('HRANDFIELD', page)) -- any of them: whoever asks for many variants gains nothing
end
redis.call('HSET', page, '=' .. variant, string.format('%s %.0f', token, now + life))
if redis.call('PTTL', page) < tonumber(life) then redis.call('PEXPIRE', page, life) end
return {'yours', found}
