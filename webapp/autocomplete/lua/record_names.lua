-- Note a member's entries in the index of names.
--
-- KEYS     names   autocomplete.indexed_names(uid)
-- ARGV     record   '' if there are no entries
-- FENCED

if record == '' then
  redis.call('HDEL', names, uid)
else
  redis.call('HSET', names, uid, record)
end
return 1
