-- Count people who saw statuses of one partition. Those that are gone or old are not counted.
--
-- KEYS     status_prefix   statuses.status.prefix(partition)
--          views_prefix    statuses.view_counts.views.prefix(partition)
-- ARGV     seconds      how long after a status was posted its views are counted
--          entries...   `id uid hash uid hash …`: a status and its viewers; visitors: uid 0
-- RETURNS  how many of the statuses had views that count
-- WRITES   views_prefix

local counted = 0
for _, entry in ipairs(entries) do
  local id, viewers = string.match(entry, '^(%d+)(.*)$')
  local author = redis.call('HGET', status_prefix .. id, 'author')
  local left = created_ms(id) + seconds * 1000 - now_ms()
  local people = {}
  for uid, hash in string.gmatch(viewers, ' (%d+) (%S+)') do
    if uid ~= author then people[#people + 1] = hash end
  end
  if author and left > 0 and #people > 0 then
    redis.call('PFADD', views_prefix .. id, unpack(people))
    redis.call('PEXPIRE', views_prefix .. id, id_text(left))
    counted = counted + 1
  end
end
return counted
