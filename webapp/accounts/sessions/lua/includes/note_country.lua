-- The countries that a member logged in from, the latest first, with spaces.

local COUNTRIES_MAX = 10

-- Note a country. Return true if it is new, and not the first.
local function note_country(member, country)
  if country == '' then return false end
  local before = redis.call('HGET', member, 'countries') or ''
  local after, is_new = {country}, before ~= ''
  for code in string.gmatch(before, '%u%u') do
    if code == country then is_new = false else after[#after + 1] = code end
  end
  local kept = table.concat(after, ' ', 1, math.min(#after, COUNTRIES_MAX))
  redis.call('HSET', member, 'countries', kept)
  return is_new
end
