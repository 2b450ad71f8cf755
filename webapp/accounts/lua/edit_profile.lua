-- Change fields of a member's profile.
--
-- KEYS     member   accounts.user(uid)
-- ARGV     flagged     a word in them that moderators want to see, or ''
--          fields...   names and values in turn; '' as the value removes the field
-- ERRORS   NOMEMBER, SUSPENDED
-- EMITS    profile_edited

require_active()
refuse_when_behind()

local event = {'uid', uid}
local old_pictures = redis.call('HMGET', member, 'avatar', 'header')
for i = 1, #fields, 2 do
  local field, value = fields[i], fields[i + 1]
  if field == 'hidden_from_search' then add(event, 'search_changed', 1) end
  store_field(member, field, value)
end

local replaced = {}
for i, picture in ipairs(redis.call('HMGET', member, 'avatar', 'header')) do
  if old_pictures[i] and old_pictures[i] ~= picture then
    table.insert(replaced, old_pictures[i])
  end
end
if flagged ~= '' then add(event, 'flagged', flagged) end
add(event, 'replaced', table.concat(replaced, ' '))
emit('profile_edited', unpack(event))
return 1
