-- Claim a login for a member id that has no account yet. A reserved one, which ends by itself, is
-- nobody else's until then.
--
-- KEYS     login   string: the claim, uid:ms
-- ARGV     uid
--          old_claim   a claim to take over, as it was read; '' for none
-- RETURNS  {1, claim} if it is now this uid's, else {0, claim, 1 if old enough to take over}

local TAKEOVER_MS = 60000
local now = now_ms()
local claim = redis.call('GET', login)
if claim then
  local claimed_at = tonumber(string.match(claim, ':(%d+)$'))
  local is_old = now - claimed_at > TAKEOVER_MS and redis.call('TTL', login) < 0
  if not (is_old and claim == old_claim) then return {0, claim, is_old and 1 or 0} end
end

local own_claim = uid .. ':' .. id_text(now)
redis.call('SET', login, own_claim)
return {1, own_claim}
