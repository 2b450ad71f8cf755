-- Log lines for operators.

-- Keep a line {severity, text, template}, and count its template in this hour.
local function add_line(recent, common_prefix, line, seconds)
  local common = common_prefix .. ':' .. math.floor(seconds / 3600)
  redis.call('LPUSH', recent, line[2])
  redis.call('LTRIM', recent, 0, 999)
  redis.call('ZINCRBY', common, 1, line[3])
  redis.call('ZREMRANGEBYRANK', common, 0, -501)
  redis.call('EXPIRE', common, 86400)
end

