-- Note up to where a member has read timelines. A mark never goes back.
--
-- KEYS     markers   timelines.markers(uid)
-- ARGV     marks...   the name of a timeline and the last id, for each

for i = 1, #marks, 2 do
  local name, last = marks[i], marks[i + 1]
  if redis.call('ZADD', markers, 'GT', 'CH', last, name) == 1 then
    redis.call('ZADD', markers, id_text(now_ms()), name .. ':at')
    redis.call('ZINCRBY', markers, 1, name .. ':version')
  end
end
return 1
