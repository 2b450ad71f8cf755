-- Queue a notification for a member's devices. They read the member's list then. An app gets the
-- kinds that it asked for, at once. A browser gets one in `delay` ms, unless `preference` is off.
local function queue_push(uid, kind, preference, lane, delay, devices, prefix, due)
  for _, sha in ipairs(redis.call('ZRANGE', devices, 0, -1)) do
    local rests_until, kinds =
      unpack(redis.call('HMGET', prefix .. uid .. ':' .. sha, lane .. ':until', 'kinds'))
    local is_wanted = preference ~= 'off'
    if kinds then is_wanted = string.find(kinds, ' ' .. kind .. ' ', 1, true) end
    if is_wanted then
      local at = math.max(now_ms() + (kinds and 0 or tonumber(delay)), tonumber(rests_until or 0))
      redis.call('ZADD', due, 'LT', id_text(at), uid .. ':' .. sha .. ':' .. lane)
    end
  end
end
