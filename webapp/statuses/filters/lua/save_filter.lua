-- Save a filter, a new one or in place of another, and emit `filter_saved`.
--
-- KEYS     filters   statuses.filters.filters(uid)
--          member      accounts.user(uid)
-- ARGV     number   of the filter, 0 for a new one
--          filter   JSON
--          before   JSON that it replaces, or '' for any
--          limit    config.filters_max   most filters of one member
-- RETURNS  the number
-- ERRORS   NOMEMBER, SUSPENDED, NOFILTER, CHANGED (it is not `before`), FILTERSFULL
-- EMITS    filter_saved

require_active()
refuse_when_behind()

local saved_number = number
if number ~= '0' then
  local stored = redis.call('HGET', filters, number)
  if not stored then refuse('NOFILTER', number) end
  if before ~= '' and stored ~= before then refuse('CHANGED', number) end
else
  -- A form sent twice saves one filter.
  local saved = redis.call('HGETALL', filters)
  for i = 2, #saved, 2 do
    if saved[i] == filter then return tonumber(saved[i - 1]) end
  end
  if #saved / 2 >= tonumber(limit) then refuse('FILTERSFULL', limit) end
  -- A number is given once, so a form opened for a deleted filter cannot change another one.
  repeat
    saved_number = redis.call('HINCRBY', member, 'filters', 1)
  until redis.call('HEXISTS', filters, saved_number) == 0
end
redis.call('HSET', filters, saved_number, filter)
emit('filter_saved', 'uid', uid)
return tonumber(saved_number)
