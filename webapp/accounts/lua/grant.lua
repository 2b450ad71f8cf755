-- Grant a right to a member, or withdraw it.
--
-- KEYS     member             accounts.user(uid)
-- ARGV     right
--          granted   1 to grant, 0 to withdraw
-- RETURNS  the member's rights, separated by blanks
-- ERRORS   NOMEMBER

if redis.call('HEXISTS', member, 'login') == 0 then refuse('NOMEMBER', uid) end
if set_right(member, right, granted == '1') then
  local kind = granted == '1' and 'granted' or 'withdrawn'
  note_entry(kind, 'what', right)
end
return redis.call('HGET', member, 'rights')
