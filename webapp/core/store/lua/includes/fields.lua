-- Store a field of a hash, or remove it if the value is ''.
local function store_field(hash, field, value)
  if value == '' then
    redis.call('HDEL', hash, field)
  else
    redis.call('HSET', hash, field, value)
  end
end
