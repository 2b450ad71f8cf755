-- Distinct visitors.

-- Count people in this day, this week and these four weeks. Each period has a salt of its own, so
-- that nobody can tell whether two periods saw the same person. It ends with the period.
local function add_visitors(prefix, salt_prefix, people, new_salt, seconds)
  local day = math.floor(seconds / 86400) + 3 -- weeks begin on a Monday
  for name, days in pairs({d = 1, w = 7, m = 28}) do
    local number = math.floor(day / days)
    local key, salt_key = prefix .. name .. number, salt_prefix .. name .. number
    redis.call('SET', salt_key, redis.sha1hex(new_salt .. name), 'NX')
    local salt, salted = redis.call('GET', salt_key), {}
    redis.call('EXPIREAT', salt_key, ((number + 1) * days - 3) * 86400)
    for index, person in ipairs(people) do salted[index] = redis.sha1hex(salt .. person) end
    redis.call('PFADD', key, unpack(salted))
    redis.call('EXPIRE', key, 400 * 86400)
  end
end

