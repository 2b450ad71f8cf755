-- Make an invitation invalid, unless somebody has used it.
--
-- KEYS     places        accounts.invite_places(code)
--          redemptions   accounts.invite_redemptions(code)
--          details       accounts.invite_details(code)
-- RETURNS  1, or 0 if it was not valid
-- ERRORS   INVITEUSED
-- WRITES   places, details

if redis.call('EXISTS', redemptions) == 1 then refuse('INVITEUSED') end
redis.call('DEL', details)
return redis.call('DEL', places)
