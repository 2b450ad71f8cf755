-- Distinct visitors.

-- Add to a count of today by country, '' if it is not known.
local function add_country(prefix, what, country, count, seconds)
  local key = prefix .. math.floor(seconds / 86400)
  redis.call('HINCRBY', key, what .. ':' .. country, count)
  redis.call('EXPIRE', key, 400 * 86400)
end

-- Count people of a country in this day, this week and these four weeks. Each period has a salt of
-- its own, so that nobody can tell whether two periods saw the same person. It ends with it.
-- Today, the country gets what the number of visitors grew by.
local function add_visitors(prefix, salt_prefix, countries, country, people, new_salt, seconds)
  local day = math.floor(seconds / 86400) + 3 -- weeks begin on a Monday
  for name, days in pairs({d = 1, w = 7, m = 28}) do
    local number = math.floor(day / days)
    local key, salt_key = prefix .. name .. number, salt_prefix .. name .. number
    redis.call('SET', salt_key, redis.sha1hex(new_salt .. name), 'NX')
    local salt, salted = redis.call('GET', salt_key), {}
    redis.call('EXPIREAT', salt_key, ((number + 1) * days - 3) * 86400)
    for index, person in ipairs(people) do salted[index] = redis.sha1hex(salt .. person) end
    local before = name == 'd' and redis.call('PFCOUNT', key)
    if redis.call('PFADD', key, unpack(salted)) == 1 and before then
      local more = redis.call('PFCOUNT', key) - before
      add_country(countries, 'visitors', country, more, seconds)
    end
    redis.call('EXPIRE', key, 400 * 86400)
  end
end
