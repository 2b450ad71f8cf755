-- Remove notifications from a member's list, and tell open pages: one, or all of a kind, of an
-- actor or about a subject, or all.
--
-- KEYS     notifications   notifications.notifications(uid)
--          unread          notifications.unread_notifications(uid)
-- ARGV     uid       the recipient
--          kind      '' for any
--          actor     uid of who acted, '' for any
--          subject   '' for any; with a dot at its end, all that begin with it
-- RETURNS  how many there were
-- FENCED

local function matches(entry)
  local entry_kind, entry_actor, entry_subject = string.match(entry, '^([^:]*):([^:]*):(.*)$')
  local chat = string.match(entry_subject, '.*%.')
  return (kind == '' or kind == entry_kind)
    and (actor == '' or actor == entry_actor)
    and (subject == '' or subject == entry_subject or subject == chat)
end

local entries = {}
if kind ~= '' and actor ~= '' and subject ~= '' then
  entries[1] = kind .. ':' .. actor .. ':' .. subject
else
  for _, entry in ipairs(redis.call('ZRANGE', notifications, 0, -1)) do
    if matches(entry) then entries[#entries + 1] = entry end
  end
end

local removed, removed_unread = 0, 0
for _, entry in ipairs(entries) do
  removed = removed + redis.call('ZREM', notifications, entry)
  removed_unread = removed_unread + redis.call('SREM', unread, entry)
end
if removed_unread > 0 then redis.call('PUBLISH', 'chat', 'b ' .. uid) end
return removed
