-- Change a member's points. A reference that is answered already changes nothing.
--
-- ARGV     amount      below 0 to take points
--          reason      as the ledger shows it
--          reference   names what is paid: the same one is never booked twice
--          note        a sentence for the ledger, or ''
--          final       1 to answer a refused reference alike for ever, or ''
--          until_ms    refuse it after this time (unix ms), or ''
-- RETURNS  the balance after the entry
-- ERRORS   NOMEMBER, SUSPENDED (only where points are taken), FUNDS, POINTSREFUSED

local is_member = redis.call('HEXISTS', member, 'login') == 1
local answered = answer_of(reference)
if is_member and answered then return answered end

local refusal
if not is_member then
  refusal = 'NOMEMBER'
elseif tonumber(amount) < 0 and not is_active_member() then
  refusal = 'SUSPENDED'
elseif until_ms ~= '' and now_ms() > tonumber(until_ms) then
  refusal = 'POINTSREFUSED'
end
local result = refusal and redis.error_reply(refusal .. ' ' .. reference)
  or book(tonumber(amount), reason, reference, note)
if type(result) == 'table' and is_member and final ~= '' then
  answer(reference, -now_us())
end
return result
