-- Purpose: take notifications off a member's list: one, all of a kind, of somebody or about something, or all. Open pages are told.
-- KEYS: 1 = keys.fences  2 = keys.notifications  3 = keys.unread   (of who was told)
-- ARGV: 1 = source  2 = token  3 = their uid  4 = kind  5 = the uid of who did it  6 = subject; '' for any
-- Returns: how many there were   Errors: LEASELOST   Writes: all keys
-- include core/events/lua/includes/fence.lua
local fences, list, unread = unpack(KEYS)
local source, token, uid, kind, by, subject = unpack(ARGV)
local refusal = stale(fences, source, token)
if refusal then return refusal end
local found = {}
if kind ~= '' and by ~= '' and subject ~= '' then
  found[1] = kind .. ':' .. by .. ':' .. subject
else
  for _, entry in ipairs(redis.call('ZRANGE', list, 0, -1)) do
    local this, whose, what = string.match(entry, '^([^:]*):([^:]*):(.*)$')
    local fits = (kind == '' or this == kind) and (by == '' or whose == by) and (subject == '' or what == subject)
    if fits then found[#found + 1] = entry end
  end
end
local gone, fewer = 0, 0
for _, entry in ipairs(found) do
  gone = gone + redis.call('ZREM', list, entry)
  fewer = fewer + redis.call('SREM', unread, entry)
end
if fewer > 0 then redis.call('PUBLISH', 'chat', 'b ' .. uid) end
return gone
