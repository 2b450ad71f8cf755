-- Write when a credential was last used, and more fields, if the interval has passed since `last`.
-- Return the time in seconds if it was written. Where writes are refused, as with a full disk,
-- members still read.
local function touch(credential, field, last, interval, ...)
  local now = math.floor(now_ms() / 1000)
  if now - tonumber(last or 0) < tonumber(interval) then return end
  local reply = redis.pcall('HSET', credential, field, now, ...)
  if type(reply) == 'number' then return now end
end
