-- What acts on reports, roles and sign-ups change.
--
-- KEYS     member   accounts.user(uid)
--          email    accounts.email.email(uid)

-- Each function returns false if nothing would change. `on`: false takes the act back.
local other_effects = {}

function other_effects.dismiss() return true end

function other_effects.note() return true end

function other_effects.accept(on, data)
  if redis.call('HDEL', member, 'waiting') == 0 then return false end
  redis.call('HDEL', member, 'suspended')
  queue_notice(data.notice, 'applied')
  redis.call('HDEL', email, 'applied', 'applied_language')
  emit('restored', 'uid', uid)
  return true
end

-- The account is deleted after this.
function other_effects.refuse(on) return redis.call('HDEL', member, 'waiting') == 1 end

function other_effects.promote(on) return set_right(member, 'moderator', true) end

function other_effects.demote(on) return set_right(member, 'moderator', false) end
