-- Append a run of events to the site's log, each once.
-- The watermark of a partition is the outbox id of its last event in the log.
--
-- KEYS     event_log    streaming.event_log()
--          watermarks   streaming.log_watermarks()
-- ARGV     partition
--          max_length   the log's length, about
--          events...    for each event: its outbox id, how many words follow, fields and values
-- RETURNS  how many events were new

local watermark = redis.call('HGET', watermarks, partition)
local appended = 0
local place = 1
while place <= #events do
  local outbox_id = events[place]
  local first_word = place + 2
  local last_word = place + 1 + tonumber(events[place + 1])
  if not watermark or is_earlier(watermark, outbox_id) then
    redis.call('XADD', event_log, 'MAXLEN', '~', max_length, '*', 'p', partition,
      'oid', outbox_id, unpack(events, first_word, last_word))
    redis.call('HSET', watermarks, partition, outbox_id)
    watermark = outbox_id
    appended = appended + 1
  end
  place = last_word + 1
end
return appended
