-- Remember choices of a member that nobody else is shown. No event.
--
-- KEYS     member   accounts.user(uid)
-- ARGV     fields...   names and values in turn; '' as the value removes the field
-- ERRORS   NOMEMBER, SUSPENDED

require_active()
for i = 1, #fields, 2 do
  store_field(member, fields[i], fields[i + 1])
end
return 1
