-- Ends of polls.

-- Return when the poll of a status ends, in unix ms, as text.
-- `poll` is JSON: [options, minutes, …].
local function poll_end(status_id, poll)
  return id_text(created_ms(status_id) + cjson.decode(poll)[2] * 60000)
end
