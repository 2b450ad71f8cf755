-- What acts on reports, roles and sign-ups change.
-- include accounts/lua/includes/set_right.lua

-- Each function returns false if nothing would change. `on`: false takes the act back.
local other_effects = {}

function other_effects.dismiss() return true end

function other_effects.note() return true end

function other_effects.accept(on, data)
  if redis.call('HDEL', data.member, 'waiting') == 0 then return false end
  redis.call('HDEL', data.member, 'suspended')
  emit('restored', 'uid', data.uid)
  return true
end

-- The account is deleted after this.
function other_effects.refuse(on, data) return redis.call('HDEL', data.member, 'waiting') == 1 end

function other_effects.promote(on, data) return set_right(data.member, 'moderator', true) end

function other_effects.demote(on, data) return set_right(data.member, 'moderator', false) end
