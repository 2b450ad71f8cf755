-- Set a count of the status `id`; 0 removes the field. If it was another number before, and `due`
-- is not '', open pages learn of it at `due` (unix ms). A hidden reply or quote changes no number.
local function set_count(status, field, count, changed_counts, id, due)
  local before = tonumber(redis.call('HGET', status, field)) or 0
  if count == before then return end
  if count > 0 then
    redis.call('HSET', status, field, count)
  else
    redis.call('HDEL', status, field)
  end
  if due ~= '' then redis.call('ZADD', changed_counts, 'NX', due, id) end
end
